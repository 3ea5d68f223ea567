// What `auto` costs a call, against the same calls by the algorithm that it chooses, named: calls of MPI
// and allocations, on any number of ranks; with --all also time, on one rank, where nobody waits, with a
// profile of many bands and a length in another one each time.
#include <rondo/rondo.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "support/added_test.hpp"
#include "support/counted_new.hpp"
#include "support/intercept.hpp"
#include "support/profile_file.hpp"
#include "support/small.hpp"

namespace deciding_test {

using namespace rondo::testing;

constexpr int kBands = 20;
constexpr int kShortBytes = 1;
constexpr int kLongBytes = 500;  // of which each band has 100
constexpr double kLimitNanoseconds = 300;

/// Returns rows for `kBands` lengths.
BandRows many_bands() {
  BandRows rows;
  for (std::size_t i = 1; i <= kBands; ++i) rows.emplace_back(100 * i, "spread_out");
  return rows;
}

/// Returns the shortest of several batches, since other programs on the machine only add to the time.
[[maybe_unused]] double nanoseconds_of_a_call(const char* algorithm, Row& row) {
  constexpr int kBatches = 40;
  constexpr int kCalls = 4000;
  const TestComm comm(Collective::alltoall, algorithm, row);
  std::vector<char> sent(kLongBytes);
  std::vector<char> received(kLongBytes);
  double least = 1e9;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < kCalls; ++call) {
      const int bytes = call % 2 == 0 ? kShortBytes : kLongBytes;
      must(Rondo_Alltoall(sent.data(), bytes, MPI_BYTE, received.data(), bytes, MPI_BYTE, comm));
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / kCalls);
  }
  return least;
}

/// How often many exchanges called each function of MPI, except for the one that waiting ranks call.
std::vector<int> mpi_calls_of(const char* algorithm, Row& row) {
  constexpr int kCalls = 200;
  const TestComm comm(Collective::alltoallv, algorithm, row);
  SmallExchange small(comm, 3);
  // The first ones set up and decide for all that are like them.
  for (int call = 0; call < kCalls; ++call) small.run(Collective::alltoallv, comm, row);
  intercept::reset_calls();
  const std::size_t made = counted_new::allocations_of([&] {
    for (int call = 0; call < kCalls; ++call) must(small.call(Collective::alltoallv, comm));
  });
  row.expect(made == 0, algorithm, " makes ", made, " allocations in ", kCalls, " calls");
  std::vector<int> calls;
  for (const intercept::Function function : intercept::all_functions())
    if (function != intercept::Function::Iprobe) calls.push_back(intercept::calls(function));
  return calls;
}

void count_calls(Runner& runner, Row& row) {
  const char* const algorithm = runner.ranks() == 1 ? "spread_out" : "node_aware";
  row.expect(mpi_calls_of("auto", row) == mpi_calls_of(algorithm, row),
             "auto makes other calls of MPI than ", algorithm);
}

void compare_times(Runner& runner, Row& row) {
  if (runner.ranks() > 1) return row.skip("other ranks would be waited for");
#ifdef __SANITIZE_ADDRESS__
  row.skip("the sanitizer costs more than what is measured");
#else
  const double named = nanoseconds_of_a_call("spread_out", row);
  const double decided = nanoseconds_of_a_call("auto", row);
  std::printf("a call: %.0f ns by its algorithm's name, %.0f ns by auto: deciding costs %.0f ns\n",
              named, decided, decided - named);
  row.expect(decided - named < kLimitNanoseconds, "deciding costs ", decided - named, " ns");
#endif
}

/// On every rank each length runs what rank 0 has read in a profile.
void run_every_band(Runner& runner, Row& row) {
  if (runner.ranks() == 1) return row.skip("one rank chooses among fewer algorithms");
  BandRows rows;
  for (std::size_t i = 1; i <= 60; ++i)
    rows.emplace_back(30 * i, i % 2 == 0 ? "spread_out" : "tunable_bruck:radix=2");
  const ProfileFile profile(layout_of({"on one node", [](int, int) { return 0; }}, runner.ranks()),
                            decisions_of(rows, {{0, "spread_out"}}));
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  std::vector<char> sent(rows.back().first * static_cast<std::size_t>(runner.ranks()));
  std::vector<char> received(sent.size());
  for (const auto& [bytes, algorithm] : rows) {
    const int count = static_cast<int>(bytes);
    must(Rondo_Alltoall(sent.data(), count, MPI_BYTE, received.data(), count, MPI_BYTE, comm));
    const std::string last = last_algorithm(comm, row);
    row.expect(last.starts_with(algorithm), bytes, " bytes ran ", last, ", not ", algorithm);
  }
}

void run_test(Runner& runner) {
  const ProfileFile profile({}, decisions_of(many_bands(), many_bands()));
  if (runner.options().all) runner.run("time", compare_times, runner);
  runner.run("calls of MPI", count_calls, runner);
  runner.run("every band of a profile", run_every_band, runner);
}

const AddedTest added({.name = "deciding", .run = run_test, .settings = {{"RONDO_LEARN=0"}}});

}  // namespace deciding_test
