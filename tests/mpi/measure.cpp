// Plans that measure: every execution is right whatever carries it out, all ranks keep the same
// winner, and nothing that happens among the trials leaves them apart.
#include <rondo/rondo.h>

#include <thread>

#include "support/captured_stderr.hpp"
#include "support/clock.hpp"
#include "support/counted_new.hpp"
#include "support/environment.hpp"
#include "support/held.hpp"
#include "support/intercept.hpp"
#include "support/measured.hpp"
#include "support/placement.hpp"

namespace {

using namespace rondo::testing;
using intercept::Function;
using std::chrono::seconds;

void run_right(const Load& load, Row& row) {
  const TestComm comm;
  Measured measured(load, comm, row);
  measured.expect_same_everywhere();
  measured.execute(measured.trials());
  row.expect(measured.is_measuring(), "there is a winner before all have had their turns");
  measured.execute();
  measured.expect_winner();
  const std::string winner = measured.algorithm();
  measured.execute(5);
  row.expect(measured.algorithm() == winner, "the winner changed");
}

/// On several nodes, of which the last may have fewer ranks.
void run_on_nodes(const Load& load, Row& row) {
  const PlacedRanks placed([](int rank) { return rank / 2; });
  run_right(load, row);
}

/// By this rank's clock, the first wait for messages takes that long.
class SlowWait : NonCopyable {
 public:
  explicit SlowWait(seconds duration) {
    intercept::watch([=, has_waited = false](Function called, intercept::Given,
                                             const std::function<int()>& call) mutable {
      const int code = call();
      if (called == Function::Waitall && !std::exchange(has_waited, true)) clock::advance(duration);
      return code;
    });
  }
  ~SlowWait() { intercept::watch({}); }
};

/// By this rank's clock, every call of `function` takes that long.
class Slow : NonCopyable {
 public:
  Slow(Function function, seconds duration) {
    intercept::watch([=](Function called, intercept::Given, const std::function<int()>& call) {
      const int code = call();
      if (called == function) clock::advance(duration);
      return code;
    });
  }
  ~Slow() { intercept::watch({}); }
};

/// The MPI library's own call is slow, or everything that Rondo does with messages; on all ranks, or on
/// one of them.
struct SlowRow {
  Collective collective;
  bool is_library;
  int rank = kAll;

  static constexpr int kAll = -1;
  static constexpr int kLast = -2;

  std::string name() const {
    return rondo::text("slow ", is_library ? "library" : "others", ", ", name_of(collective),
                       rank == kAll    ? ""
                       : rank == kLast ? ", on the last rank"
                                       : ", on rank 0");
  }
};

/// The slow one loses on all ranks. Where only one rank finds it slow, all others would choose it: they
/// find the other one slow, though not as slow.
void run_slow(const SlowRow& slow, Runner& runner, Row& row) {
  if (runner.ranks() == 1) return row.skip("a rank alone sends no messages");
  const PlacedRanks placed(
      [](int rank) { return rank; });  // then Rondo's own algorithms send messages
  const TestComm comm;
  const int slow_rank = slow.rank == SlowRow::kLast ? runner.ranks() - 1 : slow.rank;
  const bool is_here = slow.rank == SlowRow::kAll || slow_rank == runner.rank();
  const auto own_call =
      slow.collective == Collective::alltoall ? Function::Alltoall : Function::Alltoallv;
  Measured measured({slow.collective, 3}, comm, row);
  {
    const Slow clock(is_here == slow.is_library ? own_call : Function::Isend,
                     seconds(is_here ? 1000 : 1));
    measured.execute(measured.trials());
  }
  measured.execute();
  measured.expect_winner();
  row.expect((measured.algorithm() == "mpi") != slow.is_library, "chose ", measured.algorithm(),
             " where the ", slow.is_library ? "library" : "others", " had been slowed down");
}

/// What was learned from starts before the winner was known, by what `auto` had chosen, says nothing of the
/// winner. Each plan finds others slow, the same on all ranks.
void run_started_before(Collective collective, Row& row) {
  constexpr std::uint64_t kPlans = 12;
  const Environment one_channel("RONDO_REQUESTS", "1");
  const Environment messages("RONDO_SLOT_BYTES", "0");
  const TestComm comm;
  for (std::uint64_t number = 0; number < kPlans && !row.failed(); ++number) {
    Measured measured({collective, 9}, comm, row);
    for (int start = 0; start < 3; ++start) measured.start_and_wait();
    while (measured.executions() < measured.trials()) {
      const auto wait = seconds(hash(number, measured.executions()) % 4);
      bool has_waited = false;
      intercept::watch([&](Function, intercept::Given, const std::function<int()>& call) {
        if (!std::exchange(has_waited, true)) clock::advance(wait);
        return call();
      });
      measured.execute();
      intercept::watch({});
    }
    measured.execute();
    measured.expect_winner();
    for (int start = 0; start < 2; ++start) measured.start_and_wait();
  }
}

/// The last rank comes late to some executions, and the others wait for it, for long by their clocks. No
/// candidate's time has this wait, as the ranks begin together. They agree as ever.
void run_late(const Load& load, int every, Runner& runner, Row& row) {
  if (runner.ranks() == 1) return row.skip("nobody waits for a rank alone");
  constexpr seconds kWait{1000};
  const Environment verbose("RONDO_VERBOSE", "1");
  const TestComm comm;
  const bool is_late = runner.rank() == runner.ranks() - 1;
  Measured measured(load, comm, row);
  while (measured.executions() < measured.trials()) {
    const bool is_delayed = measured.executions() % every == 0;
    if (is_delayed && is_late) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const SlowWait clock(is_delayed && !is_late ? kWait : seconds(0));
    measured.execute();
  }
  CapturedStderr captured;
  measured.execute();
  const std::string said = captured.stop();
  measured.expect_winner();
  for (auto at = said.find(" us"); at != said.npos; at = said.find(" us", at + 1)) {
    const auto begin = said.rfind(' ', at - 1);
    row.expect(std::stod(said.substr(begin)) < 1e6 * kWait.count(),
               "the wait was measured: ", said);
  }
  row.expect(runner.rank() != 0 || said.find(" us") != said.npos, "no times in: ", said);
}

/// One rank has no receive buffer in some executions: all return its error, whatever algorithm had
/// its turn, and count it.
void run_failing(const Load& load, int every, Runner& runner, Row& row) {
  const TestComm comm;
  Measured measured(load, comm, row);
  const int wrong = runner.ranks() - 1;
  while (measured.executions() < measured.trials()) {
    if (measured.executions() % every != 0) {
      measured.execute();
      continue;
    }
    const bool is_wrong = runner.rank() == wrong;
    row.expect_error(measured.execute_unseen(!is_wrong), MPI_ERR_BUFFER,
                     is_wrong ? "" : rondo::text("rank ", wrong));
  }
  measured.execute();
  measured.expect_winner();
  measured.execute(3);
}

void run_freed(const Load& load, Row& row) {
  const TestComm comm;
  int after = 0;
  for (int trials = 1; after < trials; after += 5) {
    Measured measured(load, comm, row);
    trials = measured.trials();
    measured.execute(after);
  }
  SmallExchange(comm, 5).run(load.collective, comm, row);
}

void run_outlives(const Load& load, int after, Row& row) {
  TestComm comm;
  Measured measured(load, comm, row);
  measured.execute(after);
  comm.free();
  measured.execute(measured.trials() + 3 - after);
  measured.expect_winner();
}

/// Two plans and calls take turns, and each plan counts its own executions.
void run_beside(Row& row) {
  const TestComm comm;
  Measured first({Collective::alltoallv, 3}, comm, row);
  Measured second({Collective::alltoall, 200}, comm, row);
  const int most = std::max(first.trials(), second.trials()) + 1;
  for (int turn = 0; turn < most; ++turn) {
    first.execute();
    second.execute();
    SmallExchange(comm, 7).run(Collective::alltoallv, comm, row, turn);
  }
  first.expect_winner();
  second.expect_winner();
}

/// If MPI fails while the winner is determined, no rank goes on with another winner than the others.
void run_no_winner(Row& row) {
  const TestComm comm;
  if (ranks_of(comm) == 1) return row.skip("a rank alone sends no messages");
  Measured measured({Collective::alltoallv, 3}, comm, row);
  measured.execute(measured.trials());
  intercept::fail_from(Function::Waitall, 0);
  row.expect(measured.execute_unseen(true) != MPI_SUCCESS, "a failure of MPI was not seen");
  row.expect(intercept::failures() == 1, "no wait was made to fail");
  intercept::fail_nothing();
  row.expect(class_of(measured.execute_unseen(true)) == MPI_ERR_OTHER, "the plan went on");
}

void run_allocations(const Load& load, Row& row) {
  const TestComm comm;
  Measured measured(load, comm, row);
  measured.execute(measured.trials() + 1);
  SmallExchange small(comm, load.count);
  for (int execution = 0; execution < 5; ++execution) {
    const std::size_t before = counted_new::allocations();
    const int code = Rondo_Execute(measured.plan(), small.sent.data(), small.received.data());
    const std::size_t made = counted_new::allocations() - before;
    row.expect_success(code, "Rondo_Execute");
    row.expect(made == 0, "execution ", execution, " after the trials made ", made, " allocations");
  }
  measured.expect_winner();
}

/// Plans leave nothing, whether their trials came to an end or not.
void run_many(Row& row) {
  constexpr int kPlans = 30;
  const TestComm comm;
  Held held(kPlans);
  for (int number = 0; number < kPlans && !row.failed(); ++number) {
    held.look(number);
    Measured measured({kCollectives[number % 3], 20}, comm, row);
    measured.execute(number % 2 == 0 ? measured.trials() + 2 : 9);
  }
  held.look(kPlans);
  held.expect_no_more(row);
}

}  // namespace

int main(int argc, char** argv) {
  Runner runner(argc, argv, "measure");
  for (const Collective collective : kCollectives)
    for (const int count : {0, 3, 6000})
      for (const bool is_in_place : {false, true}) {
        const Load load{collective, count, is_in_place};
        runner.run("right, " + load.name(), run_right, load);
        runner.run("right on nodes, " + load.name(), run_on_nodes, load);
      }
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    for (const bool is_library : {false, true})
      for (const int rank : {SlowRow::kAll, 0, SlowRow::kLast}) {
        const SlowRow slow{collective, is_library, rank};
        runner.run(slow.name(), run_slow, slow, runner);
      }
  for (const Collective collective : kCollectives) {
    const Load load{collective, 3};
    for (const int every : {1, 3})
      runner.run(rondo::text("every ", every, ". fails, ", load.name()), run_failing, load, every,
                 runner);
    for (const int every : {1, 3})
      runner.run(rondo::text("late in every ", every, ". execution, ", load.name()), run_late, load,
                 every, runner);
    runner.run("freed among the trials, " + load.name(), run_freed, load);
    for (const int after : {0, 8})
      runner.run(rondo::text("its communicator freed after ", after, ", ", load.name()),
                 run_outlives, load, after);
    runner.run("allocations, " + load.name(), run_allocations, load);
  }
  for (const Collective collective : kCollectives)
    runner.run(rondo::text("started before the winner is known, ", name_of(collective)),
               run_started_before, collective);
  runner.run("two plans and calls in turn", run_beside);
  runner.run("no winner", run_no_winner);
  runner.run("many plans", run_many);
  return runner.finish();
}
