// `auto` learns the longest block of all, which only two ranks know, wherever they are and however the
// block travels; also along edges.
#include <rondo/rondo.h>

#include <numeric>

#include "support/added_test.hpp"
#include "support/byte_blocks.hpp"
#include "support/captured_stderr.hpp"
#include "support/profile_file.hpp"
#include "support/small.hpp"

namespace longest_block_test {

using namespace rondo::testing;

constexpr int kLongBytes = 100'000;
constexpr std::size_t kShortUpTo = 50'000;
constexpr int kCalls = 8;  // more than it takes to believe a change
const char* const kForLong = "fused_bruck:radix=2:ports=1";

const char* const kAlgorithms[] = {"node_aware", "node_aware:inter=bruck", "fused_bruck",
                                   "fused_bruck:threshold=16"};

struct Pair {
  int source;
  int destination;
};

/// The arguments of an exchange in which everybody sends eight bytes to everybody, but for one pair.
struct LongExchange {
  LongExchange(const Pair& pair, MPI_Comm comm)
      : send(ranks_of(comm), 0,
             [&, rank = rank_of(comm)](int peer) { return length(pair, rank, peer); }),
        receive(ranks_of(comm), 0,
                [&, rank = rank_of(comm)](int peer) { return length(pair, peer, rank); }),
        from(send.bytes),
        to(receive.bytes) {}

  static int length(const Pair& pair, int source, int destination) {
    return source == pair.source && destination == pair.destination ? kLongBytes : 8;
  }

  ByteBlocks send;
  ByteBlocks receive;
  std::vector<char> from;
  std::vector<char> to;
};

/// Rank 0 must have said that.
void expect_said(CapturedStderr& captured, const std::string& expected, Row& row) {
  const std::string said = captured.stop();
  row.expect(rank_of(MPI_COMM_WORLD) != 0 || said.find(expected) != std::string::npos, "'",
             expected, "' is not in what was said: '", said, "'");
}

void run_pair(const Pair& pair, Row& row) {
  CapturedStderr captured;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  for (int call = 0; call < kCalls; ++call) {
    LongExchange one(pair, comm);
    row.expect_success(exchange(Collective::alltoallv, one.send.arguments(one.from.data()),
                                one.receive.arguments(one.to.data()), comm),
                       "Rondo_Alltoallv");
  }
  expect_said(captured, rondo::text("S = ", kLongBytes, ": ", kForLong), row);
}

/// Whoever makes a plan agrees on it. All ranks then run the same.
void run_pair_in_plan(const Pair& pair, Row& row) {
  const TestComm comm;
  LongExchange one(pair, comm);
  const Plan plan(Collective::alltoallv, one.send.arguments(one.from.data()),
                  one.receive.arguments(one.to.data()), comm, row);
  const std::string chosen = algorithm_of(plan, row);
  row.expect(chosen.starts_with(kForLong), "the plan runs ", chosen);
}

/// A graph with an edge from everybody to everybody, in the order of ranks.
MPI_Comm new_complete_graph() {
  const int ranks = ranks_of(MPI_COMM_WORLD);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, ranks, all.data(), MPI_UNWEIGHTED, ranks,
                                      all.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
  must(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  return comm;
}

/// The first call along edges agrees on the longest block, which rank 0 neither sends nor receives in one
/// of the pairs. A rank's block to itself does not count.
void run_pair_on_edges(const Pair& pair, Row& row) {
  CapturedStderr captured;
  const TestComm comm(new_complete_graph());
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  LongExchange one(pair, comm);
  row.expect_success(Rondo_Neighbor_alltoallv(one.from.data(), one.send.counts.data(),
                                              one.send.displacements.data(), MPI_BYTE,
                                              one.to.data(), one.receive.counts.data(),
                                              one.receive.displacements.data(), MPI_BYTE, comm),
                     "Rondo_Neighbor_alltoallv");
  const int longest = pair.source == pair.destination ? 8 : kLongBytes;
  expect_said(captured, rondo::text("S = ", longest, ": "), row);
}

/// Pairs of neighbours and of ranks on different nodes, if there are both.
std::vector<Pair> pairs(int ranks) {
  std::vector<Pair> rows;
  for (int peer = 1; peer < ranks; ++peer) rows.push_back({peer, 0});
  rows.push_back({0, ranks - 1});
  rows.push_back({0, 0});
  return rows;
}

void run_test(Runner& runner) {
  for (const Placement& placement : placements(runner.ranks())) {
    const PlacedRanks placed(placement, runner.ranks());
    for (const char* algorithm : kAlgorithms) {
      const ProfileFile profile(
          layout_of(placement, runner.ranks()),
          decisions_of({{0, "node_aware"}}, {{kShortUpTo, algorithm}, {0, kForLong}}));
      for (const Pair& pair : pairs(runner.ranks()))
        runner.run(rondo::text("from ", pair.source, " to ", pair.destination, ", ", algorithm,
                               ", ranks ", placement.name),
                   run_pair, pair);
      for (const Pair& pair : pairs(runner.ranks()))
        runner.run(rondo::text("a plan, from ", pair.source, " to ", pair.destination, ", ",
                               algorithm, ", ranks ", placement.name),
                   run_pair_in_plan, pair);
    }
    const int last = runner.ranks() - 1;
    for (const Pair& pair : {Pair{0, last}, Pair{last, 1}, Pair{0, 0}})
      runner.run(rondo::text("along edges, from ", pair.source, " to ", pair.destination,
                             ", ranks ", placement.name),
                 run_pair_on_edges, pair);
  }
}

const AddedTest added({.name = "longest_block",
                       .run = run_test,
                       .settings = {{"RONDO_VERBOSE=1"}}});

}  // namespace longest_block_test
