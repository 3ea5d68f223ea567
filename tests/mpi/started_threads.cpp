// Started exchanges in several threads, each with a communicator of its own.
#include <rondo/rondo.h>

#include <latch>
#include <memory>
#include <thread>

#include "support/started.hpp"

namespace {

using namespace rondo::testing;

void run_beside_each_other(const std::string& algorithm, int level, Row& row) {
  if (level < MPI_THREAD_MULTIPLE) return row.skip("this MPI has no MPI_THREAD_MULTIPLE");
  constexpr int kThreads = 3;
  std::vector<std::unique_ptr<Prepared>> comms;
  for (int i = 0; i < kThreads; ++i) comms.push_back(std::make_unique<Prepared>(algorithm, row));
  std::vector<Row> rows(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&comm = *comms[i], &own = rows[i]] {
      for (int round = 1; round < 40; ++round) {
        const SmallStarted one(Collective::alltoallv, comm, round, own);
        const SmallStarted other(Collective::alltoall, comm, 2 * round, own);
        SmallExchange(comm, 3).run(Collective::alltoallv, comm, own, round);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const Row& own : rows) row.expect(!own.failed(), own.failure());
}

/// One thread calls, another starts and completes. On the first rank the start comes first, on the others
/// the call. Without an algorithm the MPI library carries out the call.
void run_crossed(const char* algorithm, int level, Row& row) {
  if (level < MPI_THREAD_MULTIPLE) return row.skip("this MPI has no MPI_THREAD_MULTIPLE");
  const Prepared started_on("auto", row);
  const int rank = rank_of(started_on);
  for (int first = 0; first < ranks_of(started_on); ++first) {
    const TestComm called_on;
    if (algorithm != nullptr) set_algorithm(called_on, Collective::alltoallv, algorithm, row);
    std::latch is_called(1);
    std::latch is_started(1);
    Row rows[2];
    std::thread caller([&] {
      if (rank == first) is_started.wait();
      SmallExchange(called_on, 7).run(Collective::alltoallv, called_on, rows[0], first);
      is_called.count_down();
    });
    std::thread starter([&] {
      if (rank != first) is_called.wait();
      const SmallStarted one(Collective::alltoallv, started_on, 40, rows[1]);
      is_started.count_down();
    });
    caller.join();
    starter.join();
    for (const Row& own : rows) row.expect(!own.failed(), own.failure());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "started_threads", MPI_THREAD_MULTIPLE);
  for (const char* algorithm : {"node_aware", "fused_bruck"})
    runner.run(rondo::text("three threads, ", algorithm), run_beside_each_other,
               std::string(algorithm), runner.thread_level());
  runner.run("a start beside a call of the MPI library", run_crossed, nullptr,
             runner.thread_level());
  for (const char* algorithm : {"node_aware", "fused_bruck", "spread_out"})
    runner.run(rondo::text("a start beside a call by ", algorithm), run_crossed, algorithm,
               runner.thread_level());
  return runner.finish();
}
