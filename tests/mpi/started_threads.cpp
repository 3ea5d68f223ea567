// Nonblocking exchanges in several threads, each with a communicator of its own.
#include <rondo/rondo.h>

#include <latch>
#include <memory>

#include "support/added_test.hpp"
#include "support/started.hpp"
#include "support/threads.hpp"

namespace started_threads_test {

using namespace rondo::testing;

void run_beside_each_other(const std::string& algorithm, const Runner& runner, Row& row) {
  if (!has_threads(runner, row)) return;
  constexpr int kThreads = 3;
  std::vector<std::unique_ptr<Prepared>> comms;
  for (int i = 0; i < kThreads; ++i) comms.push_back(std::make_unique<Prepared>(algorithm, row));
  run_in_threads(kThreads, row, [&](std::size_t thread, Row& own) {
    const Prepared& comm = *comms[thread];
    for (int round = 1; round < 40; ++round) {
      const SmallStarted one(Collective::alltoallv, comm, round, own);
      const SmallStarted other(Collective::alltoall, comm, 2 * round, own);
      SmallExchange(comm, 3).run(Collective::alltoallv, comm, own, round);
    }
  });
}

/// One thread calls, another starts and completes. On the first rank the start comes first, on the others
/// the call. Without an algorithm the MPI library carries out the call.
void run_crossed(const char* algorithm, const Runner& runner, Row& row) {
  if (!has_threads(runner, row)) return;
  const Prepared started_on("auto", row);
  const int rank = rank_of(started_on);
  for (int first = 0; first < ranks_of(started_on); ++first) {
    const TestComm called_on;
    if (algorithm != nullptr) set_algorithm(called_on, Collective::alltoallv, algorithm, row);
    std::latch is_called(1);
    std::latch is_started(1);
    run_in_threads(2, row, [&](std::size_t thread, Row& own) {
      if (thread == 0) {
        if (rank == first) is_started.wait();
        SmallExchange(called_on, 7).run(Collective::alltoallv, called_on, own, first);
        is_called.count_down();
      } else {
        if (rank != first) is_called.wait();
        const SmallStarted one(Collective::alltoallv, started_on, 40, own);
        is_started.count_down();
      }
    });
  }
}

void run_test(Runner& runner) {
  for (const char* algorithm : {"node_aware", "fused_bruck"})
    runner.run(rondo::text("three threads, ", algorithm), run_beside_each_other, algorithm, runner);
  runner.run("a start beside a call of the MPI library", run_crossed, nullptr, runner);
  for (const char* algorithm : {"node_aware", "fused_bruck", "spread_out"})
    runner.run(rondo::text("a start beside a call by ", algorithm), run_crossed, algorithm, runner);
}

const AddedTest added({.name = "started_threads",
                       .run = run_test,
                       .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace started_threads_test
