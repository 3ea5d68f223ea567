// `auto` that learns while the program runs: every exchange is right and all ranks run the same, whatever their clocks
// say; what is slow is left, and what has become fast again is found; what is under way is ended with the communicator.
#include <rondo/rondo.h>

#include <deque>

#include "support/added_test.hpp"
#include "support/clock.hpp"
#include "support/dynamic_rows.hpp"
#include "support/environment.hpp"
#include "support/intercept.hpp"
#include "support/neighbor.hpp"
#include "support/placement.hpp"
#include "support/profile_file.hpp"
#include "support/slow.hpp"
#include "support/small.hpp"
#include "support/topologies.hpp"

namespace learning_test {

using namespace rondo::testing;
namespace choice = rondo::choice;

constexpr Collective kCollectives[] = {Collective::alltoall, Collective::alltoallv,
                                       Collective::alltoallw};

void expect_same_on_all(const std::string& name, MPI_Comm comm, Row& row) {
  std::uint64_t own = hash(0);
  for (const char letter : name) own = hash(own, letter);
  std::uint64_t both[] = {own, ~own};
  must(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_MAX, comm));
  row.expect(both[0] == own && both[1] == ~own, "this rank has run ", name, ", others have not");
}

void start_and_wait(Rondo_Plan plan, SmallExchange& small, Row& row) {
  small.fill(1);
  Rondo_Request request = RONDO_REQUEST_NULL;
  row.expect_success(Rondo_Start(plan, small.sent.data(), small.received.data(), &request),
                     "Rondo_Start");
  row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
  row.expect(small.is_right(), "a start moved wrong data");
}

/// Calls of all kinds and of several lengths, in an order drawn alike on all ranks.
void run_with_wrong_clocks(const Runner& runner, std::uint64_t seed, Row& row) {
  constexpr int kCalls = 1500;
  constexpr int kInts[] = {1, 5, 300, 5000};
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  clock::go_wrong(hash(seed, runner.rank()) | 1);
  for (int call = 0; call < kCalls && !row.failed(); ++call) {
    const std::uint64_t drawn = hash(seed, call) >> 8U;
    SmallExchange small(comm, kInts[drawn % 4]);
    small.run(kCollectives[drawn / 4 % 3], comm, row, call);
    expect_same_on_all(last_algorithm(comm, row), comm, row);
  }
  clock::go_wrong(0);
}

/// Executions of plans of all kinds, in an order drawn alike on all ranks, and some that are started.
void execute_with_wrong_clocks(const Runner& runner, std::uint64_t seed, Row& row) {
  constexpr int kExecutions = 1200;
  constexpr int kInts[] = {1, 300};
  const TestComm comm;
  std::deque<SmallExchange> exchanges;
  std::deque<Plan> plans;
  for (const Collective collective : kCollectives)
    for (const int ints : kInts) {
      SmallExchange& small = exchanges.emplace_back(comm, ints);
      plans.emplace_back(collective, small.send(collective), small.receive(collective), comm, row);
    }
  clock::go_wrong(hash(seed, runner.rank()) | 1);
  for (int execution = 0; execution < kExecutions && !row.failed(); ++execution) {
    const std::uint64_t drawn = hash(seed, execution) >> 8U;
    const Plan& plan = plans[drawn % plans.size()];
    SmallExchange& small = exchanges[drawn % plans.size()];
    small.execute(plan, row, execution);
    expect_same_on_all(algorithm_of(plan, row), comm, row);
    if (drawn / 8 % 5 == 0) start_and_wait(plan, small, row);
  }
  clock::go_wrong(0);
}

void execute_along_edges_with_wrong_clocks(const Runner& runner, std::uint64_t seed, Row& row) {
  for (const TopologyRow& topology : topologies(runner.ranks(), seed)) {
    const TestComm comm(topology.make());
    const TopologyOfAll all(comm);
    if (all.fails_in_mpich()) continue;
    NeighborExchange exchange(comm, all, {.longest = 40, .seed = seed});
    const Plan plan = exchange.plan(row);
    clock::go_wrong(hash(seed, runner.rank()) | 1);
    for (int execution = 0; execution < 300 && !row.failed(); ++execution) {
      exchange.execute(plan, row, execution);
      expect_same_on_all(algorithm_of(plan, row), comm, row);
      if (hash(seed, execution) % 5 != 0) continue;
      exchange.fill(execution + 1);
      Rondo_Request request = RONDO_REQUEST_NULL;
      row.expect_success(Rondo_Start(plan, exchange.send.buffer, exchange.receive.buffer, &request),
                         "Rondo_Start");
      row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
      row.expect(exchange.is_right(), "a start moved wrong data");
    }
    clock::go_wrong(0);
  }
}

void exchange_sparsely_with_wrong_clocks(const Runner& runner, std::uint64_t seed, Row& row) {
  constexpr int kCalls = 500;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  clock::go_wrong(hash(seed, runner.rank()) | 1);
  for (int call = 0; call < kCalls && !row.failed(); ++call) {
    exchange_one(Kind::sparse, comm, named_traffic("few partners"), hash(seed, call), row);
    expect_same_on_all(last_algorithm(comm, row), comm, row);
  }
  clock::go_wrong(0);
}

/// What runs at first sends by MPI_Isend, and another one by MPI_Issend. By every rank's clock, each of the first that
/// has more than a few bytes takes a second.
void leave_slow_sparse_algorithm(Row& row) {
  constexpr int kMost = 400;
  constexpr int kShort = 64;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  intercept::watch(
      [](intercept::Function called, intercept::Given given, const std::function<int()>& call) {
        const int code = call();
        if (called == intercept::Function::Isend && *static_cast<const int*>(given[1]) > kShort)
          clock::advance(std::chrono::seconds(1));
        return code;
      });
  DynamicExchange exchange(Kind::sparse, comm, named_traffic("few partners"), 3);
  std::vector<std::string> ran;
  for (int call = 0; call < kMost && !row.failed(); ++call) {
    exchange.run(Place::exact, row);
    ran.push_back(last_algorithm(comm, row));
  }
  intercept::watch({});
  row.expect(ran.front().starts_with("fused_bruck"), ran.front(), " runs at first");
  row.expect(std::all_of(ran.end() - 50, ran.end(),
                         [](const auto& name) { return name.starts_with("nbx"); }),
             ran.back(), " runs at last");
}

/// Freed in whatever the ranks are about to agree on.
void free_at_any_sparse_call(std::uint64_t seed, Row& row) {
  for (int calls = 12; calls < 60 && !row.failed(); calls += 2) {
    const TestComm comm;
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    for (int call = 0; call < calls; ++call)
      exchange_one(Kind::sparse, comm, named_traffic("few partners"), hash(seed, call), row);
  }
}

/// The number of calls until `algorithm` has not been run for 50 calls, at most `most`.
int calls_until_left(const std::string& algorithm, Collective collective, MPI_Comm comm, int most,
                     Row& row) {
  SmallExchange small(comm, 3);
  int left_at = 0;
  for (int call = 0; call < most && call - left_at < 50; ++call) {
    small.run(collective, comm, row, call);
    if (last_algorithm(comm, row).starts_with(algorithm)) left_at = call + 1;
  }
  return left_at;
}

/// The profile says that the library is the fastest. It takes a tenth of a second.
void leave_slow_library(Collective collective, Row& row) {
  constexpr int kMost = 400;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  const SlowLibrary slow;
  const int left_at = calls_until_left("mpi", collective, comm, kMost, row);
  row.expect(left_at < kMost, "the slow library still runs after ", left_at, " calls");
}

/// The same of the executions of a plan, which are not calls, and then of those that are started.
void leave_slow_library_in_plan(Collective collective, Row& row) {
  constexpr int kMost = 300;
  const TestComm comm;
  SmallExchange small(comm, 3);
  const Plan plan = small.plan(collective, comm, row);
  const SlowLibrary slow;
  row.expect(algorithm_of(plan, row) == "mpi", "the plan begins with ", algorithm_of(plan, row));
  int executions = 0;
  while (executions < kMost && algorithm_of(plan, row) == "mpi")
    small.execute(plan, row, ++executions);
  row.expect(executions > 16, "only ", executions, " executions before the library is left");
  row.expect(executions < kMost, "the slow library still runs after ", executions, " executions");
  start_and_wait(plan, small, row);
}

/// One rank or another is wrong, also where something is tried. All ranks know of it: what runs reports it.
void fail_in_plan(Row& row) {
  const TestComm comm;
  SmallExchange small(comm, 3);
  const Plan plan = small.plan(Collective::alltoall, comm, row);
  const int ranks = ranks_of(comm);
  for (int execution = 0; execution < 150 && !row.failed(); ++execution) {
    if (execution % 3 != 0) {
      small.execute(plan, row, execution);
      continue;
    }
    const bool is_wrong = rank_of(comm) == execution / 3 % ranks;
    row.expect_error(execute(plan, small.sent.data(), is_wrong ? nullptr : small.received.data()),
                     MPI_ERR_BUFFER);
  }
  expect_same_on_all(algorithm_of(plan, row), comm, row);
}

/// The first call of that length.
void expect_first(int ints, const std::string& algorithm, MPI_Comm comm, Row& row) {
  SmallExchange small(comm, ints);
  small.run(Collective::alltoall, comm, row);
  row.expect(last_algorithm(comm, row).starts_with(algorithm), "blocks of ", ints,
             " numbers begin with ", last_algorithm(comm, row));
}

int call_with_count(SmallExchange& small, int count, MPI_Comm comm) {
  return Rondo_Alltoall(small.sent.data(), count, MPI_INT, small.received.data(), count, MPI_INT,
                        comm);
}

/// All counts of all ranks are wrong, in any of the calls in which they begin to learn.
void fail_everywhere_at_any_call(Row& row) {
  for (int calls = 12; calls < 40 && !row.failed(); ++calls) {
    const TestComm comm;
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    SmallExchange small(comm, 3);
    for (int call = 0; call < calls; ++call) small.run(Collective::alltoall, comm, row, call);
    for (int repeat = 0; repeat < 2; ++repeat) {
      row.expect_error(call_with_count(small, -1, comm), MPI_ERR_COUNT);
      for (int call = 0; call < 3; ++call) small.run(Collective::alltoall, comm, row, call);
    }
  }
}

/// Messages are slow, so node_aware is found. Then a call of it fails, and what was found still counts.
void go_on_after_a_failure(Row& row) {
  constexpr int kMost = 400;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  const Slow slow({intercept::Function::Isend, intercept::Function::Alltoall});
  SmallExchange small(comm, 3);
  const auto has_run_in_node = [&] { return last_algorithm(comm, row).starts_with("node_aware"); };
  int calls = 0;
  for (int in_node = 0; in_node < 10 && calls < kMost; ++calls) {
    small.run(Collective::alltoall, comm, row, calls);
    in_node = has_run_in_node() ? in_node + 1 : 0;
  }
  row.expect(calls < kMost, "node_aware is not found in ", calls, " calls");
  do {
    row.expect_error(
        Rondo_Alltoall(small.sent.data(), 3, MPI_INT, small.received.data(), -1, MPI_INT, comm),
        MPI_ERR_COUNT);
  } while (!row.failed() && !has_run_in_node() && ++calls < kMost);
  expect_first(20, "node_aware", comm, row);
}

/// The first of the calls that go on while the ranks add up their times makes this sum dear. So they do it rarely.
void agree_in_several_calls(Row& row) {
  constexpr int kCalls = 3000;
  constexpr int kMost = 12;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  intercept::watch([has_begun = false](intercept::Function called, intercept::Given,
                                       const std::function<int()>& call) mutable {
    const int code = call();
    if (called == intercept::Function::Request_get_status && std::exchange(has_begun, false))
      clock::advance(std::chrono::milliseconds(100));
    has_begun |= called == intercept::Function::Iallreduce;
    return code;
  });
  intercept::reset_calls();
  SmallExchange small(comm, 3);
  for (int call = 0; call < kCalls && !row.failed(); ++call)
    small.run(Collective::alltoall, comm, row, call);
  const int sums = intercept::calls(intercept::Function::Iallreduce);
  row.expect(sums > 1 && sums <= kMost, "the ranks have added up their times ", sums, " times");
  intercept::watch({});
}

/// Each message with data takes as long as any other, and the library a fifth longer. What is tried therefore seems to be
/// about as fast as what runs, and is tried in runs of several executions. One rank is wrong in any of these.
void fail_in_runs_of_plan(Row& row) {
  constexpr int kLongest = 64;  // of messages without data
  const int ranks = ranks_of(MPI_COMM_WORLD);
  intercept::watch([ranks](intercept::Function called, intercept::Given given,
                           const std::function<int()>& call) {
    constexpr std::chrono::milliseconds kMessage{100};
    const int code = call();
    if (called == intercept::Function::Isend && *static_cast<const int*>(given[1]) > kLongest)
      clock::advance(kMessage);
    if (called == intercept::Function::Alltoallv) clock::advance((ranks - 1) * kMessage * 6 / 5);
    return code;
  });
  for (int executions = 17; executions < 130 && !row.failed(); ++executions) {
    const TestComm comm;
    SmallExchange small(comm, 300);
    const Plan plan = small.plan(Collective::alltoallv, comm, row);
    for (int execution = 0; execution < executions; ++execution)
      small.execute(plan, row, execution);
    const bool is_wrong = rank_of(comm) == executions % ranks;
    row.expect_error(execute(plan, small.sent.data(), is_wrong ? nullptr : small.received.data()),
                     MPI_ERR_BUFFER);
    for (int execution = 0; execution < 3; ++execution) small.execute(plan, row, execution);
  }
  intercept::watch({});
}

/// The profile names the library. A rank that receives nothing is one that some libraries' starts count apart from the
/// others.
void start_in_place(Row& row) {
  const TestComm comm;
  const bool is_first = rank_of(comm) == 0;
  std::vector<int> counts(static_cast<std::size_t>(ranks_of(comm)));
  const std::vector<int> places(counts.size());
  if (is_first) counts.front() = 1;
  int own = 7;
  const Plan plan(
      [&](Rondo_Plan* made) {
        return Rondo_Alltoallv_plan(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, &own,
                                    counts.data(), places.data(), MPI_INT, comm, MPI_INFO_NULL,
                                    made);
      },
      row);
  for (int execution = 0; execution < 60 && !row.failed(); ++execution) {
    row.expect_success(Rondo_Execute(plan, MPI_IN_PLACE, &own), "Rondo_Execute");
    intercept::reset_calls();
    Rondo_Request request = RONDO_REQUEST_NULL;
    row.expect_success(Rondo_Start(plan, MPI_IN_PLACE, &own, &request), "Rondo_Start");
    row.expect(intercept::calls(intercept::Function::Ialltoallv) == 0,
               "the start is the library's");
    row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
    row.expect(own == 7, "an exchange in place moved wrong data");
  }
}

/// A plan is freed in whatever the ranks are about to agree on, before or after its communicator.
void free_plan_at_any_execution(Row& row) {
  for (int executions = 14; executions < 64 && !row.failed(); ++executions) {
    TestComm comm;
    SmallExchange small(comm, 3);
    Plan plan = small.plan(Collective::alltoallv, comm, row);
    for (int execution = 0; execution < executions; ++execution)
      small.execute(plan, row, execution);
    if (executions % 3 == 0) comm.free();
    if (executions % 2 == 0)
      for (int execution = 0; execution < 30; ++execution) small.execute(plan, row, execution);
    if (executions % 5 == 0) start_and_wait(plan, small, row);
    plan.free();
  }
}

/// The profile names an algorithm whose messages take a tenth of a second. The calls that were forwarded show what the
/// library takes, so this algorithm runs in two calls, in eight that are timed, and in those until the ranks have their
/// sum. Calls of about the same length then begin with the library, and calls of another length do not.
void leave_slow_algorithm(Collective collective, Row& row) {
  constexpr int kForwarded = 40;  // RONDO_FORWARD_CALLS
  constexpr int kMost = 2 + 8 + 9 + 1;
  const Environment forwarded("RONDO_FORWARD_CALLS", "40");
  const TestComm comm;
  const Slow slow({intercept::Function::Isend});
  SmallExchange small(comm, 3);
  for (int call = 0; call < kForwarded; ++call) small.run(collective, comm, row, call);
  int calls = 0;
  do {
    small.run(collective, comm, row, ++calls);
  } while (calls < kMost && last_algorithm(comm, row).starts_with("spread_out"));
  row.expect(last_algorithm(comm, row) == "mpi", "after ", calls, " calls it runs ",
             last_algorithm(comm, row));
  if (collective == Collective::alltoall) expect_first(20, "mpi", comm, row);
  if (collective == Collective::alltoall) expect_first(20000, "spread_out", comm, row);
}

/// The library is slow at first, and is right again later: then nothing is wrong with what runs, but it keeps
/// exchanging what it should.
void go_on_after_a_change(Row& row) {
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  {
    const SlowLibrary slow;
    calls_until_left("mpi", Collective::alltoallv, comm, 400, row);
  }
  SmallExchange small(comm, 3);
  for (int call = 0; call < 10000 && !row.failed(); ++call)
    small.run(Collective::alltoallv, comm, row, call);
  expect_same_on_all(last_algorithm(comm, row), comm, row);
}

/// Freed in whatever the ranks are about to agree on.
void free_at_any_call(Row& row) {
  for (int calls = 8; calls < 140 && !row.failed(); calls += 3) {
    const TestComm comm;
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    SmallExchange small(comm, 3);
    for (int call = 0; call < calls; ++call) small.run(Collective::alltoall, comm, row, call);
  }
}

/// Making a plan is no call that could be timed. What is left to time comes later, by another kind of call.
void plan_at_any_call(Row& row) {
  for (int calls = 5; calls < 120 && !row.failed(); ++calls) {
    const TestComm comm;
    row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
    SmallExchange small(comm, 3);
    for (int call = 0; call < calls; ++call) small.run(Collective::alltoall, comm, row, call);
    const Plan plan = small.plan(Collective::alltoall, comm, row);
    for (int call = 0; call < 20; ++call) small.run(Collective::alltoallv, comm, row, call);
    small.execute(plan, row);
    for (int call = 0; call < 20; ++call) small.run(Collective::alltoall, comm, row, call);
  }
}

/// A plan finds that there is no shared memory, so `auto` decides anew. It is no exchange, and what the last one ran
/// remains known.
void plan_decides_anew(Row& row) {
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  SmallExchange small(comm, 3);
  small.run(Collective::alltoallv, comm, row);
  const std::string ran = last_algorithm(comm, row);
  row.expect(ran.starts_with("spread_out"), "the call ran ", ran);
  const Plan plan = small.plan(Collective::alltoall, comm, row);
  row.expect(last_algorithm(comm, row) == ran, "after the plan: ", last_algorithm(comm, row));
}

/// The lengths go first, in a call of their own, in which the ranks find that there is no shared memory. The exchange
/// itself is timed meanwhile.
void exchange_lengths_first(Row& row) {
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  const auto ranks = static_cast<std::size_t>(ranks_of(comm));
  std::vector<int> sent(ranks, rank_of(comm));
  const std::vector<int> counts(ranks, 1);
  std::vector<int> displacements(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) displacements[rank] = static_cast<int>(rank);
  for (int call = 0; call < 400 && !row.failed(); ++call) {
    std::vector<int> received(ranks, -1);
    std::vector<int> arrived(ranks);
    std::vector<int> places(ranks);
    row.expect_success(Rondo_Alltoallv_dynamic(sent.data(), counts.data(), displacements.data(),
                                               MPI_INT, received.data(), static_cast<int>(ranks),
                                               arrived.data(), places.data(), MPI_INT, comm),
                       "Rondo_Alltoallv_dynamic");
    row.expect(received == displacements, "call ", call, " moved wrong data");
  }
}

/// Rank 0, which waits for nobody in its neighbourhood exchanges, comes to an agreement long before the others, and
/// they wait for what it has started.
void agree_beside_a_start(Row& row) {
  constexpr int kCalls = 3000;
  const int own = rank_of(MPI_COMM_WORLD);
  const int itself[] = {own, own};
  const int ones[] = {1, 1};
  const int places[] = {0, 1};
  MPI_Comm graph = MPI_COMM_NULL;
  must(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, itself, MPI_UNWEIGHTED, 2, itself,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
  const TestComm comm(graph);
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  const auto exchange = [&](int calls) {
    for (int call = 0; call < calls; ++call) {
      const int sent[] = {call, own};
      int received[] = {-1, -1};
      row.expect_success(Rondo_Neighbor_alltoallv(sent, ones, places, MPI_INT, received, ones,
                                                  places, MPI_INT, comm),
                         "Rondo_Neighbor_alltoallv");
      row.expect(received[0] == call && received[1] == own, "call ", call, " moved wrong data");
    }
  };
  exchange(200);
  SmallExchange small(comm, 20000);
  Rondo_Request request = RONDO_REQUEST_NULL;
  row.expect_success(start(Collective::alltoall, small.send(Collective::alltoall),
                           small.receive(Collective::alltoall), comm, &request),
                     "the start");
  if (own != 0) row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
  exchange(kCalls);
  if (own == 0) row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
  row.expect(small.is_right(), "the nonblocking exchange moved wrong data");
}

/// With RONDO_LEARN=0, the profile decides for good.
void learn_nothing(Row& row) {
  const Environment off("RONDO_LEARN", "0");
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  const SlowLibrary slow;
  SmallExchange small(comm, 3);
  for (int call = 0; call < 300 && !row.failed(); ++call) {
    small.run(Collective::alltoall, comm, row, call);
    row.expect(last_algorithm(comm, row) == "mpi", "call ", call, " has run ",
               last_algorithm(comm, row));
  }
}

void run_rows(Runner& runner, const std::string& where) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    runner.run("wrong clocks" + where, run_with_wrong_clocks, runner,
               hash(runner.options().seed, seed));
  runner.run("wrong clocks of sparse calls" + where, exchange_sparsely_with_wrong_clocks, runner,
             runner.options().seed);
  runner.run("freed at any sparse call" + where, free_at_any_sparse_call, runner.options().seed);
  runner.run("wrong clocks of plans" + where, execute_with_wrong_clocks, runner,
             runner.options().seed);
  if (runner.ranks() == 1) return;
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    runner.run("a slow library" + where + ", " + name_of(collective), leave_slow_library,
               collective);
  runner.run("after a change" + where, go_on_after_a_change);
  runner.run("freed at any call" + where, free_at_any_call);
  runner.run("a plan at any call" + where, plan_at_any_call);
  runner.run("a plan freed at any execution" + where, free_plan_at_any_execution);
}

void run_test(Runner& runner) {
  const Environment on("RONDO_LEARN", "1");
  const choice::Layout one_node{.ranks = runner.ranks(), .nodes = 1, .per_node = runner.ranks()};
  {
    const ProfileFile profile(one_node, decisions_of({{0, "mpi"}}, {{0, "mpi"}}));
    run_rows(runner, "");
    if (runner.ranks() > 1)
      for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
        runner.run(rondo::text("a slow library of a plan, ", name_of(collective)),
                   leave_slow_library_in_plan, collective);
    runner.run("a plan started in place", start_in_place);
    runner.run("agreements in several calls", agree_in_several_calls);
    runner.run("RONDO_LEARN=0", learn_nothing);
  }
  if (runner.ranks() > 1) {
    const ProfileFile profile(one_node, decisions_of({{0, "spread_out"}}, {{0, "spread_out"}}));
    for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
      runner.run("a slow algorithm, " + std::string(name_of(collective)), leave_slow_algorithm,
                 collective);
  }
  if (runner.ranks() > 1) {
    const ProfileFile profile(one_node, decisions_of({{0, "tunable_bruck"}}, {{0, "mpi"}}));
    runner.run("a failure after learning", go_on_after_a_failure);
  }
  {
    const Environment no_memory("RONDO_SLOT_BYTES", "0");
    const ProfileFile profile(one_node, decisions_of({{0, "node_aware"}}, {{0, "mpi"}}));
    runner.run("lengths first, without shared memory", exchange_lengths_first);
    const ProfileFile other(one_node, decisions_of({{0, "mpi"}}, {{0, "node_aware"}}));
    runner.run("a plan at any call, without shared memory", plan_at_any_call);
    const ProfileFile straight(one_node, decisions_of({{0, "node_aware"}}, {{0, "spread_out"}}));
    runner.run("a plan that decides anew", plan_decides_anew);
    const ProfileFile fused(one_node, decisions_of({{0, "mpi"}}, {{0, "fused_bruck"}}));
    if (runner.ranks() > 1)
      runner.run("a plan that fails while it tries runs", fail_in_runs_of_plan);
  }
  {
    const PlacedRanks placed([](int rank) { return rank; });
    runner.run("an agreement beside a start", agree_beside_a_start);
    if (runner.ranks() > 2) runner.run("a slow sparse algorithm", leave_slow_sparse_algorithm);
  }
  runner.run("wrong clocks of plans along edges", execute_along_edges_with_wrong_clocks, runner,
             runner.options().seed);
  if (runner.ranks() > 1) {
    const ProfileFile profile(one_node, decisions_of({{0, "node_aware"}}, {{0, "node_aware"}}));
    runner.run("a plan that fails", fail_in_plan);
    runner.run("all fail at any call", fail_everywhere_at_any_call);
  }
  const PlacedRanks placed([](int rank) { return rank / 2; });
  runner.run("wrong clocks of plans along edges, on nodes of two",
             execute_along_edges_with_wrong_clocks, runner, runner.options().seed);
  run_rows(runner, ", on nodes of two");
}

const AddedTest added({.name = "learning", .run = run_test});

}  // namespace learning_test
