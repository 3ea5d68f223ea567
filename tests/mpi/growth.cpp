// Many calls leave nothing: after the first ones, when all scratch has been allocated, the library holds no
// more allocations. With --all there are ten thousand calls, and neither the heap nor the resident memory
// of the process grows. That has what the MPI library allocates too, and what the C library keeps of freed
// memory, so a few calls tell nothing.
#include <rondo/rondo.h>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/footprint.hpp"
#include "support/held.hpp"
#include "support/small.hpp"

namespace growth_test {

using namespace rondo::testing;

/// How many calls and plans.
struct Amount {
  int calls;
  int plans;
  bool are_many;
};
constexpr Amount kFew{50, 20, false};
constexpr Amount kMany{10000, 2000, true};

/// Looks at the process before each call and after the last.
class Looks {
 public:
  Looks(int calls, bool are_many) : growth_(calls), held_(calls), are_many_(are_many) {}

  void look(int call) {
    growth_.look(call);
    held_.look(call);
  }

  /// The smallest leak at every call is 16 bytes. Resident memory grows in pages.
  void expect_flat(Row& row) const {
    held_.expect_no_more(row);
    if (!are_many_) return;
    const auto calls = static_cast<std::size_t>(growth_.calls_in_half());
    row.expect(growth_.heap_bytes() < 16 * calls / 2, "the heap grew by ", growth_.heap_bytes(),
               " bytes or more over each ", calls, " calls");
    row.expect(growth_.resident_bytes() < 256 * calls, "resident memory grew by ",
               growth_.resident_bytes(), " bytes or more over each ", calls, " calls");
  }

 private:
  Growth growth_;
  Held held_;
  bool are_many_;
};

/// Lengths that differ from call to call, within the same total.
void vary(SmallExchange& small, int count, int call) {
  for (std::size_t peer = 0; peer < small.counts.size(); ++peer)
    small.counts[peer] = count - (call % 3);
}

void run_calls(Collective collective, const std::string& algorithm, const Amount& amount,
               Row& row) {
  constexpr int kCount = 20;
  const TestComm comm(collective, algorithm, row);
  SmallExchange small(comm, kCount);
  Looks looks(amount.calls, amount.are_many);
  for (int call = 0; call < amount.calls && !row.failed(); ++call) {
    looks.look(call);
    vary(small, kCount, call);
    row.expect_success(small.call(collective, comm), name_of(collective));
  }
  looks.look(amount.calls);
  looks.expect_flat(row);
}

/// Plans made, executed and freed leave nothing either.
void run_plans(const std::string& algorithm, const Amount& amount, Row& row) {
  const TestComm comm(Collective::alltoallv, algorithm, row);
  SmallExchange small(comm, 20);
  Looks looks(amount.plans, amount.are_many);
  for (int call = 0; call < amount.plans && !row.failed(); ++call) {
    looks.look(call);
    const Plan plan = small.plan(Collective::alltoallv, comm, row);
    for (int i = 0; i < 2; ++i)
      row.expect_success(Rondo_Execute(plan, small.sent.data(), small.received.data()),
                         "Rondo_Execute");
  }
  looks.look(amount.plans);
  looks.expect_flat(row);
}

void run_test(Runner& runner) {
  const Amount& amount = runner.options().all ? kMany : kFew;
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    for (const std::string& algorithm : registered(collective, true))
      runner.run(rondo::text(name_of(collective), " ", algorithm), run_calls, collective, algorithm,
                 amount);
  for (const char* algorithm : {"spread_out", "fused_bruck", "two_phase_bruck"})
    runner.run(rondo::text("plans of ", algorithm), run_plans, algorithm, amount);
}

const AddedTest added({.name = "growth", .run = run_test});

}  // namespace growth_test
