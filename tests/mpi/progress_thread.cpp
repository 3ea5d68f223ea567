// RONDO_PROGRESS=thread: exchanges that need several rounds are complete after the program has computed
// and has called nothing, on few cores too. Without the thread they are not.
#include <rondo/rondo.h>

#include <chrono>
#include <deque>

#include "support/environment.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;
using Clock = std::chrono::steady_clock;

/// Computes, for long enough that the threads of all ranks get their turns on few cores.
void compute(int ranks) {
  const auto end = Clock::now() + std::chrono::milliseconds(60 * ranks + 100);
  volatile double sum = 0;
  while (Clock::now() < end)
    for (int i = 0; i < 1000; ++i) sum = sum + 1.0 / (i + 1);
}

/// An exchange that is started here and completed by the test.
struct One : NonCopyable {
  One(MPI_Comm comm, int count, Row& row) : small(comm, count) {
    small.fill(count);
    row.expect_success(
        start(kVariable, small.send(kVariable), small.receive(kVariable), comm, &request),
        "a start");
  }
  SmallExchange small;
  Rondo_Request request = RONDO_REQUEST_NULL;
};

enum class Order { any, in_turn };

/// Runs `body` on all ranks: on one after another, if in turn.
template <class Body>
void run_on_all(Order order, int first, Body&& body) {
  if (order == Order::any) return body();
  const int ranks = ranks_of(MPI_COMM_WORLD);
  for (int turn = 0; turn < ranks; ++turn) {
    if (rank_of(MPI_COMM_WORLD) == (first + turn) % ranks) body();
    must(MPI_Barrier(MPI_COMM_WORLD));
  }
}

/// Starts exchanges on two communicators, computes, and returns how many of them one test each finds
/// complete. In turn, rank 0 starts first, and the last rank tests first.
int complete_after_computing(const std::string& algorithm, Order order, Row& row) {
  constexpr int kOnEach = 2;
  const TestComm comms[2];
  std::deque<One> all;
  for (const TestComm& comm : comms) {
    row.expect_success(prepare_starts(comm), "preparing starts");
    set_algorithm(comm, kVariable, algorithm, row);
  }
  must(MPI_Barrier(MPI_COMM_WORLD));
  run_on_all(order, 0, [&] {
    for (int i = 0; i < kOnEach; ++i)
      for (const TestComm& comm : comms) all.emplace_back(comm, 3 + i, row);
  });
  compute(ranks_of(MPI_COMM_WORLD));
  int complete = 0;
  run_on_all(order, ranks_of(MPI_COMM_WORLD) - 1, [&] {
    for (One& one : all) {
      int is_over = 0;
      row.expect_success(Rondo_Test(&one.request, &is_over), "Rondo_Test");
      complete += is_over;
    }
  });
  for (One& one : all) {
    row.expect_success(Rondo_Wait(&one.request), "Rondo_Wait");
    row.expect(one.small.is_right(), "wrong data");
  }
  return complete;
}

/// Rank 0 starts before any message has come to it, so it sends only those of the first round. The last of
/// 3 or 5 ranks expects one of rank 0 in the last round, and tests before rank 0 calls anything.
void run_without(const std::string& algorithm, Row& row) {
  int complete = complete_after_computing(algorithm, Order::in_turn, row);
  if (ranks_of(MPI_COMM_WORLD) < 3) return row.skip("there is only one round");
  must(MPI_Allreduce(MPI_IN_PLACE, &complete, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  row.expect(complete == 0, complete, " of 4 exchanges went on without the thread");
}

void run_with(const std::string& algorithm, int level, Row& row) {
  if (level < MPI_THREAD_MULTIPLE) return row.skip("this MPI has no MPI_THREAD_MULTIPLE");
  const Environment environment("RONDO_PROGRESS", "thread");
  const int complete = complete_after_computing(algorithm, Order::any, row);
  row.expect(complete == 4, complete, " of 4 exchanges were complete after computing");
}

/// One rank starts an exchange before a call that the MPI library carries out, and the others after it.
/// The call does not complete the exchange first, as it would without the thread.
void run_other_order(int level, Row& row) {
  if (level < MPI_THREAD_MULTIPLE) return row.skip("this MPI has no MPI_THREAD_MULTIPLE");
  const Environment environment("RONDO_PROGRESS", "thread");
  const TestComm started_on;
  row.expect_success(prepare_starts(started_on), "preparing starts");
  set_algorithm(started_on, kVariable, "fused_bruck:radix=2:ports=1", row);
  const TestComm called_on(kVariable, "mpi", row);
  const auto call = [&] { SmallExchange(called_on, 3).run(kVariable, called_on, row, 1); };
  for (int first = 0; first < ranks_of(started_on); ++first) {
    const bool starts_first = rank_of(started_on) == first;
    if (!starts_first) call();
    One one(started_on, 5, row);
    if (starts_first) call();
    row.expect_success(Rondo_Wait(&one.request), "Rondo_Wait");
    row.expect(one.small.is_right(), "wrong data");
  }
}

/// The thread sleeps, and wakes again.
void run_again(int level, Row& row) {
  for (int round = 0; round < 3; ++round) run_with("fused_bruck:radix=2", level, row);
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "progress_thread", MPI_THREAD_MULTIPLE);
  runner.run("without the thread", run_without, std::string("fused_bruck:radix=2:ports=1"));
  for (const char* algorithm : {"fused_bruck:radix=2:ports=1", "node_aware", "two_phase_bruck",
                                "spread_out", "node_aware:inter=bruck"})
    runner.run(algorithm, run_with, std::string(algorithm), runner.thread_level());
  runner.run("calls and starts in another order", run_other_order, runner.thread_level());
  runner.run("again and again", run_again, runner.thread_level());
  return runner.finish();
}
