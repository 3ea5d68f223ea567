// Plans that measure: every execution is right whatever carries it out, all ranks learn the same, and nothing that
// happens meanwhile leaves them apart.
#include <rondo/rondo.h>

#include "support/added_test.hpp"
#include "support/clock.hpp"
#include "support/counted_new.hpp"
#include "support/environment.hpp"
#include "support/held.hpp"
#include "support/intercept.hpp"
#include "support/measured.hpp"
#include "support/placement.hpp"
#include "support/profile_file.hpp"

namespace measure_test {

using namespace rondo::testing;
namespace choice = rondo::choice;
using intercept::Function;
using std::chrono::seconds;

void run_right(const Load& load, Row& row) {
  const TestComm comm;
  Measured measured(load, comm, row);
  while (measured.executions() < kMeasured && !row.failed()) {
    measured.execute();
    measured.expect_same_everywhere();
  }
}

/// On several nodes, of which the last may have fewer ranks.
void run_on_nodes(const Load& load, Row& row) {
  const PlacedRanks placed([](int rank) { return rank / 2; });
  run_right(load, row);
}

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

/// The slow one loses on all ranks. Where only one rank finds it slow, all others would choose it: they find the other
/// one slow, though not as slow.
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
    measured.execute(kMeasured);
  }
  measured.expect_same_everywhere();
  row.expect((measured.algorithm() == "mpi") != slow.is_library, "chose ", measured.algorithm(),
             " where the ", slow.is_library ? "library" : "others", " had been slowed down");
}

/// What one algorithm has learned of sizes says nothing to another, in calls and in starts. Each plan finds others slow,
/// the same on all ranks.
void run_started_between(Collective collective, Row& row) {
  constexpr std::uint64_t kPlans = 6;
  const Environment one_channel("RONDO_REQUESTS", "1");
  const Environment messages("RONDO_SLOT_BYTES", "0");
  const TestComm comm;
  for (std::uint64_t number = 0; number < kPlans && !row.failed(); ++number) {
    Measured measured({collective, 9}, comm, row);
    while (measured.executions() < kMeasured) {
      if (hash(number, measured.executions()) % 3 == 0) measured.start_and_wait();
      const auto wait = seconds(hash(number, measured.executions()) % 4);
      bool has_waited = false;
      intercept::watch([&](Function, intercept::Given, const std::function<int()>& call) {
        if (!std::exchange(has_waited, true)) clock::advance(wait);
        return call();
      });
      measured.execute();
      intercept::watch({});
    }
    measured.expect_same_everywhere();
  }
}

/// One rank has no receive buffer in some executions. What runs at first reports that to all ranks. So do the ranks where
/// something else is tried, and nothing that does not report it can win before it has had pairs without a failure.
void run_failing(const Load& load, int every, Runner& runner, Row& row) {
  const choice::Layout one_node{.ranks = runner.ranks(), .nodes = 1, .per_node = runner.ranks()};
  const ProfileFile profile(one_node, decisions_of({{0, "node_aware"}}, {{0, "fused_bruck"}}));
  const TestComm comm;
  Measured measured(load, comm, row);
  const int wrong = runner.ranks() - 1;
  while (measured.executions() < kMeasured && !row.failed()) {
    if (measured.executions() % every != 0) {
      measured.execute();
      continue;
    }
    const bool is_wrong = runner.rank() == wrong;
    row.expect_error(measured.execute_unseen(!is_wrong), MPI_ERR_BUFFER,
                     is_wrong ? "" : rondo::text("rank ", wrong));
  }
  measured.expect_same_everywhere();
}

void run_freed(const Load& load, Row& row) {
  const TestComm comm;
  for (int after = 0; after < kMeasured / 2; after += 3) {
    Measured measured(load, comm, row);
    measured.execute(after);
  }
  SmallExchange(comm, 5).run(load.collective, comm, row);
}

void run_outlives(const Load& load, int after, Row& row) {
  TestComm comm;
  Measured measured(load, comm, row);
  measured.execute(after);
  comm.free();
  measured.execute(kMeasured - after);
  measured.expect_same_everywhere();
}

/// Two plans and calls take turns, and each plan learns by itself.
void run_beside(Row& row) {
  const TestComm comm;
  Measured first({Collective::alltoallv, 3}, comm, row);
  Measured second({Collective::alltoall, 200}, comm, row);
  for (int turn = 0; turn < kMeasured; ++turn) {
    first.execute();
    second.execute();
    SmallExchange(comm, 7).run(Collective::alltoallv, comm, row, turn);
  }
  first.expect_same_everywhere();
  second.expect_same_everywhere();
}

/// If MPI fails while the ranks add up their times, no rank goes on with another algorithm than the others.
void run_no_sum(Row& row) {
  const TestComm comm;
  Measured measured({Collective::alltoallv, 3}, comm, row);
  measured.execute();
  intercept::fail_from(Function::Wait, 0);
  int code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && measured.executions() < kMeasured)
    code = measured.execute_unseen(true);
  row.expect(code != MPI_SUCCESS, "a failure of MPI was not seen");
  row.expect(intercept::failures() == 1, intercept::failures(), " waits were made to fail");
  intercept::fail_nothing();
  row.expect(class_of(measured.execute_unseen(true)) == MPI_ERR_OTHER, "the plan went on");
}

void run_allocations(const Load& load, Row& row) {
  const TestComm comm;
  Measured measured(load, comm, row);
  measured.execute(kMeasured);
  SmallExchange small(comm, load.count);
  for (int execution = 0; execution < 5; ++execution) {
    const std::size_t before = counted_new::allocations();
    const int code = Rondo_Execute(measured.plan(), small.sent.data(), small.received.data());
    const std::size_t made = counted_new::allocations() - before;
    row.expect_success(code, "Rondo_Execute");
    row.expect(made == 0, "execution ", execution, " after kMeasured made ", made, " allocations");
  }
}

Held make_plans(const TestComm& comm, Row& row) {
  constexpr int kPlans = 30;
  Held held(kPlans);
  for (int number = 0; number < kPlans && !row.failed(); ++number) {
    held.look(number);
    Measured measured({kCollectives[number % 3], 20}, comm, row);
    measured.execute(number % 2 == 0 ? kMeasured : 7 * number % 100);
  }
  held.look(kPlans);
  return held;
}

/// Plans leave nothing, whether a sum is in progress or not. What an algorithm keeps for later plans, it may make late:
/// the times decide when it is tried first. But then it does not make more every time.
void run_many(Row& row) {
  constexpr int kTimes = 3;
  const TestComm comm;
  Held held = make_plans(comm, row);
  for (int time = 1; time < kTimes && held.has_more_anywhere(); ++time)
    held = make_plans(comm, row);
  held.expect_no_more(row);
}

/// A plan whose executions are the MPI library's, which copies a rank's own block at once only between equal types.
void run_with_one_type(Row& row) {
  const TestComm comm(Collective::alltoall, "mpi", row);
  const Type derived = Type::resized(MPI_INT, sizeof(int));
  for (const MPI_Datatype type : {MPI_INT, static_cast<MPI_Datatype>(derived)}) {
    SmallExchange small(comm, 3, type);
    const Plan plan = small.plan(Collective::alltoall, comm, row);
    int calls = 0;
    intercept::watch(
        [&](Function called, intercept::Given given, const std::function<int()>& call) {
          if (called != Function::Alltoall) return call();
          const auto type_at = [&](std::size_t at) {
            return *static_cast<const MPI_Datatype*>(given[at]);
          };
          row.expect(type_at(2) == type_at(5), "the library's call has two types");
          row.expect(type != MPI_INT || type_at(2) == MPI_INT, "MPI_INT became another type");
          ++calls;
          return call();
        });
    small.execute(plan, row);
    intercept::watch({});
    row.expect(calls == 1, "the library was called ", calls, " times");
  }
}

void run_test(Runner& runner) {
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
    runner.run("freed at any execution, " + load.name(), run_freed, load);
    for (const int after : {0, 8})
      runner.run(rondo::text("its communicator freed after ", after, ", ", load.name()),
                 run_outlives, load, after);
    runner.run("allocations, " + load.name(), run_allocations, load);
  }
  for (const Collective collective : kCollectives)
    runner.run(rondo::text("started before the winner is known, ", name_of(collective)),
               run_started_between, collective);
  runner.run("two plans and calls in turn", run_beside);
  runner.run("no sum", run_no_sum);
  runner.run("one type", run_with_one_type);
  runner.run("many plans", run_many);
}

const AddedTest added({.name = "measure", .run = run_test});

}  // namespace measure_test
