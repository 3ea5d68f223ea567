// Nonblocking neighbourhood exchanges, and starts of plans: every topology, algorithm and form, several at a
// time, completed in any order, compared with MPI's definition; errors; what may be freed before the end.
#include <rondo/rondo.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "support/added_test.hpp"
#include "support/environment.hpp"
#include "support/neighbor.hpp"
#include "support/placement.hpp"
#include "support/sample.hpp"
#include "support/topologies.hpp"

namespace neighbor_started_test {

using namespace rondo::testing;

constexpr const char* kCollective = "neighbor_alltoallv";

constexpr const char* kAlgorithms[] = {"spread_out",
                                       "spread_out:window=1",
                                       "node_aware",
                                       "node_aware:threshold=0",
                                       "node_aware:threshold=40",
                                       "auto",
                                       "mpi"};

/// Ints in pairs: 0 bytes to beyond the default threshold between nodes.
constexpr int kLongest[] = {5, 200, 3000};

/// One exchange between its start and its end.
struct Outstanding {
  Outstanding(MPI_Comm of, const TopologyOfAll& all, const NeighborLoad& load, int salt)
      : comm(of), form(load.form), exchange(of, all, load) {
    exchange.fill(salt);
  }

  int start([[maybe_unused]] bool is_large = false) {
#if MPI_VERSION >= 4
    if (is_large) {
      large_send = widened(exchange.send);
      large_receive = widened(exchange.receive);
      return start_large_neighbor(form, large_send, large_receive, comm, &request);
    }
#endif
    return start_neighbor(form, exchange.send, exchange.receive, comm, &request);
  }
  int start_plan(Rondo_Plan plan) {
    return Rondo_Start(plan, exchange.send.buffer, exchange.receive.buffer, &request);
  }

  MPI_Comm comm;
  Collective form;
  NeighborExchange exchange;
  Rondo_Request request = RONDO_REQUEST_NULL;
  LargeNeighborArguments large_send, large_receive;
};

/// The last first, or the first first; each by waiting or testing. On each rank in another way.
void complete(std::deque<Outstanding>& all, std::uint64_t seed, Row& row) {
  if (seed % 2 == 0) {
    for (auto one = all.rbegin(); one != all.rend(); ++one)
      row.expect_success(seed % 3 == 0 ? Rondo_Wait(&one->request) : test_until_over(&one->request),
                         "completing");
  } else {
    std::vector<Rondo_Request> requests;
    for (Outstanding& one : all) requests.push_back(one.request);
    row.expect_success(Rondo_Waitall(static_cast<int>(requests.size()), requests.data()),
                       "Rondo_Waitall");
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    row.expect(all[i].exchange.is_right(), "start ", i, " moved wrong data");
}

/// One more than there are channels, of different lengths.
void run_starts(MPI_Comm comm, const TopologyOfAll& all, std::uint64_t seed, Row& row) {
  std::deque<Outstanding> outstanding;
  for (int number = 0; number < 5; ++number) {
    const NeighborLoad load = drawn_load(hash(seed, number), kLongest);
    Outstanding& one = outstanding.emplace_back(comm, all, load, number);
    row.expect_success(one.start(number % 2 == 1), "the start of " + load.name());
    // A call among them.
    if (number == 2) NeighborExchange(comm, all, drawn_load(hash(seed, 77), kLongest)).run(row, 9);
  }
  complete(outstanding, hash(seed, rank_of(comm)), row);
}

void run_plan(MPI_Comm comm, const TopologyOfAll& all, const NeighborLoad& load, Row& row) {
  NeighborExchange exchange(comm, all, load);
  Plan plan = exchange.plan(row);
  for (int turn = 0; turn < 3; ++turn) {
    std::deque<Outstanding> outstanding;
    for (int number = 0; number < 3; ++number)
      row.expect_success(
          outstanding.emplace_back(comm, all, load, 10 * turn + number).start_plan(plan),
          "Rondo_Start of " + load.name());
    exchange.execute(plan, row, turn);
    if (turn == 2) plan.free();
    complete(outstanding, hash(load.seed, turn, rank_of(comm)), row);
  }
}

void run_topology(const TopologyRow& topology, std::uint64_t seed, Runner& runner) {
  for (const Placement& placement : placements(runner.ranks())) {
    const PlacedRanks placed(placement, runner.ranks());
    const TestComm comm(topology.make());
    const TopologyOfAll all(comm);
    for (const std::string algorithm : kAlgorithms) {
      // `auto` may run the library's own call.
      const bool may_forward = algorithm == "mpi" || algorithm == "auto";
      if (may_forward && all.fails_in_mpich()) continue;
      // There the MPI library's own call may match other edges.
      if (algorithm == "mpi" && (topology.is_ambiguous || all.has_several())) continue;
      runner.run_drawn(one_in(runner, 3),
                       rondo::text(topology.name, ", ", algorithm, ", ranks ", placement.name),
                       [&](Row& row) {
                         set_algorithm(comm, kCollective, algorithm.c_str(), row);
                         NeighborExchange(comm, all, drawn_load(seed, kLongest)).run(row);
                         for (int turn = 0; turn < (runner.options().all ? 6 : 2); ++turn)
                           run_starts(comm, all, hash(seed, algorithm.size(), turn), row);
                         run_plan(comm, all, drawn_load(hash(seed, 5), kLongest), row);
                       });
    }
  }
}

/// A start reads no topology, so before a call has, it is the MPI library's.
void run_unprepared(const TopologyRow& topology, Row& row) {
  const TestComm comm(topology.make());
  const TopologyOfAll all(comm);
  if (all.fails_in_mpich() || all.has_several())
    return row.skip("the MPI library's own call is not tried here");
  run_starts(comm, all, 4, row);
}

/// With node_aware the rank that receives from the wrong one returns its error, whatever node it is on.
void run_wrong(const char* algorithm, bool is_planned, Row& row) {
  const TestComm comm(new_ring());
  const TopologyOfAll all(comm);
  set_algorithm(comm, kCollective, algorithm, row);
  const NeighborLoad load{.longest = 900, .is_even = true, .seed = 21};
  NeighborExchange(comm, all, load).run(row);
  Outstanding one(comm, all, load, 3);
  Rondo_Plan plan = RONDO_PLAN_NULL;
  if (is_planned) row.expect_success(one.exchange.make_plan(&plan), "making the plan");
  const bool is_wrong = rank_of(comm) == ranks_of(comm) - 1;
  const NeighborArguments given = one.exchange.send;
  if (is_wrong) one.exchange.send.buffer = nullptr;
  row.expect_success(is_planned ? one.start_plan(plan) : one.start(),
                     "a start that reports nothing yet");
  const int end = Rondo_Wait(&one.request);
  if (is_wrong)
    row.expect_error(end, MPI_ERR_BUFFER, "sendbuf");
  else if (rank_of(comm) == 0)
    row.expect_error(end, MPI_ERR_BUFFER, rondo::text("rank ", ranks_of(comm) - 1));
  one.exchange.send = given;
  // Later exchanges are right.
  for (std::uint64_t turn = 0; turn < 2; ++turn) run_starts(comm, all, turn, row);
  row.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free");
}

/// The communicator and the types are freed between start and end.
void run_freed(const char* algorithm, Row& row) {
  TestComm comm(new_ring());
  const TopologyOfAll all(comm);
  set_algorithm(comm, kCollective, algorithm, row);
  const NeighborLoad load{.form = Collective::alltoallw, .longest = 900, .is_packed = true};
  NeighborExchange(comm, all, load).run(row);
  std::deque<Outstanding> outstanding;
  for (int number = 0; number < 3; ++number)
    row.expect_success(outstanding.emplace_back(comm, all, load, number).start(), "the start");
  comm.free();
  complete(outstanding, 1, row);
}

/// A datatype may be freed right after the start, though the first exchange in a channel is packed only when
/// the channel has been prepared. Others may then have its place.
void run_type_freed(const char* algorithm, Row& row) {
  constexpr int kInts = 1000;
  const TestComm comm(new_ring());
  set_algorithm(comm, kCollective, algorithm, row);
  std::vector<int> sent(2 * kInts);
  std::iota(sent.begin(), sent.end(), 100'000 * rank_of(comm));
  std::vector<int> received(kInts);
  const int source = (rank_of(comm) + ranks_of(comm) - 1) % ranks_of(comm);
  row.expect_success(
      Rondo_Neighbor_alltoall(sent.data(), kInts, MPI_INT, received.data(), kInts, MPI_INT, comm),
      "a call");
  for (int number = 0; number < 8; ++number) {
    std::ranges::fill(received, -1);
    Rondo_Request request = RONDO_REQUEST_NULL;
    {
      const Type every_second(new_vector(kInts, 1, 2));
      row.expect_success(Rondo_Ineighbor_alltoall(sent.data(), 1, every_second, received.data(),
                                                  kInts, MPI_INT, comm, &request),
                         "a start");
    }
    std::deque<Type> others;
    for (int i = 0; i < 64; ++i) others.emplace_back(new_vector(kInts / 2, 2, 3));
    row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
    for (int i = 0; i < kInts; ++i)
      row.expect(received[static_cast<std::size_t>(i)] == 100'000 * source + 2 * i, "start ",
                 number, " moved wrong data");
  }
}

/// The first call along the edges of a communicator makes the messages between its nodes, while long blocks
/// of an exchange that was started are under way. Later communicators number their exchanges from where
/// earlier ones ended, so one of them has each of the tags.
void run_set_up_beside(Row& row) {
  constexpr int kInts = 50'000;
  constexpr int kRounds = 40;
  const PlacedRanks placed([](int rank) { return rank % 2; });
  SmallExchange small(MPI_COMM_WORLD, kInts);
  std::ranges::fill(small.sent, rank_of(MPI_COMM_WORLD));
  const NeighborLoad load{.longest = 5, .seed = 3};
  for (int round = 0; round < kRounds && !row.failed(); ++round) {
    const TestComm comm(new_ring());
    const TopologyOfAll all(comm);
    row.expect_success(prepare_starts(comm), "preparing starts");
    set_algorithm(comm, kCollective, "node_aware", row);
    set_algorithm(comm, "alltoallv", "fused_bruck:threshold=64", row);
    std::ranges::fill(small.received, -1);
    Rondo_Request request = RONDO_REQUEST_NULL;
    row.expect_success(start(Collective::alltoallv, small.send(Collective::alltoallv),
                             small.receive(Collective::alltoallv), comm, &request),
                       "a start");
    NeighborExchange(comm, all, load).run(row);
    row.expect_success(Rondo_Wait(&request), "Rondo_Wait");
    for (std::size_t i = 0; i < small.received.size(); ++i)
      row.expect(small.received[i] == static_cast<int>(i / kInts), "wrong data at ", i);
  }
}

void run_test(Runner& runner) {
  const std::uint64_t seed = runner.options().seed;
  std::uint64_t number = 0;
  for (const TopologyRow& topology : topologies(runner.ranks(), seed)) {
    run_topology(topology, hash(seed, number++), runner);
    if (!topology.is_ambiguous)
      runner.run("not prepared, " + topology.name, run_unprepared, topology);
  }
  for (const char* algorithm : {"node_aware", "node_aware:threshold=0"})
    for (const bool is_planned : {false, true})
      if (runner.ranks() > 1)
        runner.run(rondo::text("wrong, ", algorithm, is_planned ? ", planned" : ""), run_wrong,
                   algorithm, is_planned);
  for (const char* algorithm : {"node_aware", "spread_out"}) {
    runner.run(rondo::text("freed, ", algorithm), run_freed, algorithm);
    runner.run(rondo::text("types freed, ", algorithm), run_type_freed, algorithm);
  }
  runner.run("set-up beside a start", run_set_up_beside);
}

const AddedTest added({.name = "neighbor_started",
                       .run = run_test,
                       .settings = {{"RONDO_REQUESTS=3"}, {"RONDO_CHECK=1", 3}},
                       .thread_level = MPI_THREAD_MULTIPLE});

}  // namespace neighbor_started_test
