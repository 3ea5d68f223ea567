// Plans that measure: every execution is right whatever carries it out, all ranks keep the same
// winner, and nothing that happens among the trials leaves them apart.
#include <rondo/rondo.h>

#include "support/counted_new.hpp"
#include "support/footprint.hpp"
#include "support/intercept.hpp"
#include "support/measured.hpp"
#include "support/placement.hpp"

namespace {

using namespace rondo::testing;
using std::chrono::milliseconds;

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

class Slow : NonCopyable {
 public:
  explicit Slow(intercept::Function function) : function_(function) {
    intercept::slow_down(function_, milliseconds(5));
  }
  ~Slow() { intercept::slow_down(function_, milliseconds(0)); }

 private:
  intercept::Function function_;
};

/// The slow one loses: the MPI library's own call, or everything that Rondo does with messages.
void run_slow(Collective collective, bool is_library_slow, Runner& runner, Row& row) {
  if (runner.ranks() == 1) return row.skip("a rank alone sends no messages");
  const PlacedRanks placed(
      [](int rank) { return rank; });  // then Rondo's own algorithms send messages
  const TestComm comm;
  const auto own_call = collective == Collective::alltoall ? intercept::Function::Alltoall
                                                           : intercept::Function::Alltoallv;
  Measured measured({collective, 3}, comm, row);
  {
    const Slow slow(is_library_slow ? own_call : intercept::Function::Isend);
    measured.execute(measured.trials());
  }
  measured.execute();
  measured.expect_winner();
  row.expect((measured.algorithm() == "mpi") != is_library_slow, "chose ", measured.algorithm(),
             " where the ", is_library_slow ? "library" : "others", " had been slowed down");
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
  Measured measured({Collective::alltoallv, 3}, comm, row);
  measured.execute(measured.trials());
  intercept::fail_from(intercept::Function::Allreduce, 0);
  row.expect(measured.execute_unseen(true) != MPI_SUCCESS, "a failure of MPI was not seen");
  row.expect(intercept::failures() == 1, "no reduction was made to fail");
  intercept::fail_nothing();
  row.expect(class_of(measured.execute_unseen(true)) == MPI_ERR_OTHER, "the plan went on");
}

void run_allocations(const Load& load, Row& row) {
  const TestComm comm;
  Measured measured(load, comm, row);
  measured.execute(measured.trials());
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

/// Plans leave nothing, whether their trials came to an end or not. With 100 of them the heap of one rank
/// of 7 once grew by 656 bytes in each half, which is 16 for a plan; in other runs it did not. The cause is
/// not known. A leak at every plan fails with any number of them.
void run_growth(Row& row) {
  constexpr int kPlans = 240;
  const TestComm comm;
  Growth growth(kPlans);
  for (int number = 0; number < kPlans && !row.failed(); ++number) {
    growth.look(number);
    Measured measured({kCollectives[number % 3], 20}, comm, row);
    measured.execute(number % 2 == 0 ? measured.trials() + 2 : 9);
  }
  growth.look(kPlans);
  const auto plans = static_cast<std::size_t>(growth.calls_in_half());
  row.expect(growth.heap_bytes() < 16 * plans, "the heap grew by ", growth.heap_bytes(),
             " bytes or more over each ", plans, " plans");
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
    for (const bool is_library_slow : {false, true})
      runner.run(
          rondo::text("slow ", is_library_slow ? "library" : "others", ", ", name_of(collective)),
          run_slow, collective, is_library_slow, runner);
  for (const Collective collective : kCollectives) {
    const Load load{collective, 3};
    for (const int every : {1, 3})
      runner.run(rondo::text("every ", every, ". fails, ", load.name()), run_failing, load, every,
                 runner);
    runner.run("freed among the trials, " + load.name(), run_freed, load);
    for (const int after : {0, 8})
      runner.run(rondo::text("its communicator freed after ", after, ", ", load.name()),
                 run_outlives, load, after);
    runner.run("allocations, " + load.name(), run_allocations, load);
  }
  runner.run("two plans and calls in turn", run_beside);
  runner.run("no winner", run_no_winner);
  runner.run("many plans", run_growth);
  return runner.finish();
}
