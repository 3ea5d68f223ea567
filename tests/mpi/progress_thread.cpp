// RONDO_PROGRESS=thread: exchanges that need several rounds arrive while the program computes and calls
// nothing, on few cores too. Without the thread they do not.
#include <rondo/rondo.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "support/added_test.hpp"
#include "support/environment.hpp"
#include "support/small.hpp"
#include "support/started.hpp"
#include "support/threads.hpp"

namespace progress_thread_test {

using namespace rondo::testing;

constexpr auto kVariable = Collective::alltoallv;
using Clock = std::chrono::steady_clock;

/// Computes until there is nothing to wait for, or for that long.
template <class Condition>
void compute(std::chrono::milliseconds most, Condition&& is_over) {
  const auto end = Clock::now() + most;
  volatile double sum = 0;
  while (!is_over() && Clock::now() < end)
    for (int i = 0; i < 1000; ++i) sum = sum + 1.0 / (i + 1);
}

/// Exchanges on two communicators, several on each.
class Started : NonCopyable {
 public:
  static constexpr int kAll = 4;

  Started(const std::string& algorithm, Row& row) : row_(row) {
    for (const TestComm& comm : comms_) {
      row.expect_success(prepare_starts(comm), "preparing starts");
      set_algorithm(comm, kVariable, algorithm, row);
    }
    must(MPI_Barrier(MPI_COMM_WORLD));
  }

  void start() {
    for (int i = 0; i < kAll; ++i) all_.emplace_back(kVariable, comms_[i % 2], 3 + i / 2, row_);
  }

  /// How many have arrived whole. Calls nothing of Rondo's.
  int arrived() const {
    return static_cast<int>(std::ranges::count_if(all_, &SmallStarted::has_arrived));
  }

  /// The others may go on while it is started.
  bool last_has_arrived() const { return all_.back().has_arrived(); }

 private:
  Row& row_;
  TestComm comms_[2];
  std::deque<SmallStarted> all_;
};

/// A start gives the thread back at its first wait, and nothing is called that would go on.
void run_without(const std::string& algorithm, Row& row) {
  if (has_progress_thread()) return row.skip("this MPI library has the thread anyway");
  Started started(algorithm, row);
  started.start();
  compute(std::chrono::milliseconds(100), [] { return false; });
  const bool has_arrived = started.last_has_arrived();
  if (ranks_of(MPI_COMM_WORLD) == 1) return row.skip("there is nothing to wait for");
  row.expect(!has_arrived, "an exchange went on without the thread");
}

/// However long it takes: a machine may be busy.
void run_with(const std::string& algorithm, const Runner& runner, Row& row) {
  if (!has_threads(runner, row)) return;
  const Environment environment("RONDO_PROGRESS", "thread");
  Started started(algorithm, row);
  started.start();
  compute(std::chrono::minutes(1), [&] { return started.arrived() == Started::kAll; });
  row.expect(started.arrived() == Started::kAll, started.arrived(), " of ", Started::kAll,
             " exchanges arrived while every rank computed");
}

/// One rank starts an exchange before a call that the MPI library carries out, and the others after it.
/// The call does not complete the exchange first, as it would without the thread.
void run_other_order(const Runner& runner, Row& row) {
  if (!has_threads(runner, row)) return;
  const Environment environment("RONDO_PROGRESS", "thread");
  const TestComm started_on;
  row.expect_success(prepare_starts(started_on), "preparing starts");
  set_algorithm(started_on, kVariable, "fused_bruck:radix=2:ports=1", row);
  const TestComm called_on(kVariable, "mpi", row);
  const auto call = [&] { SmallExchange(called_on, 3).run(kVariable, called_on, row, 1); };
  for (int first = 0; first < ranks_of(started_on); ++first) {
    const bool starts_first = rank_of(started_on) == first;
    if (!starts_first) call();
    const SmallStarted one(kVariable, started_on, 5, row);
    if (starts_first) call();
  }
}

/// The thread sleeps, and wakes again.
void run_again(const Runner& runner, Row& row) {
  for (int round = 0; round < 3; ++round) run_with("fused_bruck:radix=2", runner, row);
}

void run_test(Runner& runner) {
  runner.run("without the thread", run_without, "fused_bruck:radix=2:ports=1");
  for (const char* algorithm : {"fused_bruck:radix=2:ports=1", "node_aware", "two_phase_bruck",
                                "spread_out", "node_aware:inter=bruck"})
    runner.run(algorithm, run_with, algorithm, runner);
  runner.run("calls and starts in another order", run_other_order, runner);
  runner.run("again and again", run_again, runner);
}

const AddedTest added({.name = "progress_thread",
                       .run = run_test,
                       .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace progress_thread_test
