// `auto` learns the longest block of all, which only two ranks know, wherever they are and however the
// block travels.
#include <rondo/rondo.h>

#include "support/byte_blocks.hpp"
#include "support/captured_stderr.hpp"
#include "support/profile_file.hpp"
#include "support/small.hpp"

namespace {

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

/// Eight bytes from everybody to everybody, but for one pair.
int exchange_long(const Pair& pair, MPI_Comm comm) {
  const int rank = rank_of(comm);
  const auto length = [&](int source, int destination) {
    return source == pair.source && destination == pair.destination ? kLongBytes : 8;
  };
  const ByteBlocks send(ranks_of(comm), 0, [&](int peer) { return length(rank, peer); });
  const ByteBlocks receive(ranks_of(comm), 0, [&](int peer) { return length(peer, rank); });
  std::vector<char> from(send.bytes);
  std::vector<char> to(receive.bytes);
  return exchange(Collective::alltoallv, send.arguments(from.data()), receive.arguments(to.data()),
                  comm);
}

void run_pair(const Pair& pair, Row& row) {
  CapturedStderr captured;
  const TestComm comm;
  row.expect_success(Rondo_Comm_prepare(comm, MPI_INFO_NULL), "Rondo_Comm_prepare");
  for (int call = 0; call < kCalls; ++call)
    row.expect_success(exchange_long(pair, comm), "Rondo_Alltoallv");
  const std::string said = captured.stop();
  const int rank = rank_of(comm);
  const std::string expected = rondo::text("S = ", kLongBytes, ": ", kForLong);
  row.expect(rank != 0 || said.find(expected) != std::string::npos, "'", expected,
             "' is not in what was said: '", said, "'");
}

/// Pairs of neighbours and of ranks on different nodes, if there are both.
std::vector<Pair> pairs(int ranks) {
  std::vector<Pair> rows;
  for (int peer = 1; peer < ranks; ++peer) rows.push_back({peer, 0});
  rows.push_back({0, ranks - 1});
  rows.push_back({0, 0});
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("RONDO_VERBOSE", "1", 1);
  Runner runner(argc, argv, "heard");
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
    }
  }
  return runner.finish();
}
