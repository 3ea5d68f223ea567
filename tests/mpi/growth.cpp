// Ten thousand calls: after the first thousands, when all scratch has been allocated, neither the heap
// nor the resident memory of the process grows.
#include <rondo/rondo.h>

#include "support/algorithms.hpp"
#include "support/footprint.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;

constexpr int kCalls = 10000;
constexpr int kPlans = 2000;

/// The smallest leak at every call is 16 bytes. Resident memory grows in pages.
void expect_flat(const Growth& growth, Row& row) {
  const auto calls = static_cast<std::size_t>(growth.calls_in_half());
  row.expect(growth.heap_bytes() < 16 * calls / 2, "the heap grew by ", growth.heap_bytes(),
             " bytes or more over each ", calls, " calls");
  row.expect(growth.resident_bytes() < 256 * calls, "resident memory grew by ",
             growth.resident_bytes(), " bytes or more over each ", calls, " calls");
}

/// Lengths that differ from call to call, within the same total.
void vary(SmallExchange& small, int count, int call) {
  for (std::size_t peer = 0; peer < small.counts.size(); ++peer)
    small.counts[peer] = count - (call % 3);
}

void run_calls(Collective collective, const std::string& algorithm, Row& row) {
  constexpr int kCount = 20;
  const TestComm comm(collective, algorithm, row);
  SmallExchange small(comm, kCount);
  Growth growth(kCalls);
  for (int call = 0; call < kCalls && !row.failed(); ++call) {
    growth.look(call);
    vary(small, kCount, call);
    row.expect_success(small.call(collective, comm), name_of(collective));
  }
  growth.look(kCalls);
  expect_flat(growth, row);
}

/// Plans made, executed and freed leave nothing either.
void run_plans(const std::string& algorithm, Row& row) {
  const TestComm comm(Collective::alltoallv, algorithm, row);
  SmallExchange small(comm, 20);
  Growth growth(kPlans);
  for (int call = 0; call < kPlans && !row.failed(); ++call) {
    growth.look(call);
    const Plan plan = small.plan(Collective::alltoallv, comm, row);
    for (int i = 0; i < 2; ++i)
      row.expect_success(Rondo_Execute(plan, small.sent.data(), small.received.data()),
                         "Rondo_Execute");
  }
  growth.look(kPlans);
  expect_flat(growth, row);
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "growth");
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    for (const std::string& algorithm : registered(collective, true))
      runner.run(rondo::text(name_of(collective), " ", algorithm), run_calls, collective,
                 algorithm);
  for (const char* algorithm : {"spread_out", "fused_bruck", "two_phase_bruck"})
    runner.run(rondo::text("plans of ", algorithm), [&](Row& row) { run_plans(algorithm, row); });
  return runner.finish();
}
