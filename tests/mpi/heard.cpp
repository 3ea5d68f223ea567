// What `auto` hears of lengths that only pairs of ranks know: the longest block of all, wherever its
// two ranks are and however it travels.
#include <rondo/rondo.h>

#include <algorithm>

#include "support/captured_stderr.hpp"
#include "support/profile_file.hpp"
#include "support/small.hpp"

namespace {

using namespace rondo::testing;
using RegistryCollective = rondo::registry::Collective;

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
  const int ranks = ranks_of(comm);
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<int> sent(count, 8);
  std::vector<int> expected(count, 8);
  std::vector<int> displacements(count);
  for (int peer = 0; peer < ranks; ++peer) displacements[static_cast<std::size_t>(peer)] = 8 * peer;
  if (rank == pair.source) sent[static_cast<std::size_t>(pair.destination)] = kLongBytes;
  if (rank == pair.destination) expected[static_cast<std::size_t>(pair.source)] = kLongBytes;
  std::vector<char> from(8 * count + kLongBytes);
  std::vector<char> to(8 * count + kLongBytes);
  displacements[static_cast<std::size_t>(rank == pair.source ? pair.destination : pair.source)] =
      8 * ranks;
  return Rondo_Alltoallv(from.data(), sent.data(), displacements.data(), MPI_BYTE, to.data(),
                         expected.data(), displacements.data(), MPI_BYTE, comm);
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

/// Neighbours and strangers, as far as there are both.
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
          {.alltoall = bands_of(RegistryCollective::alltoall, {{0, "node_aware"}}),
           .alltoallv =
               bands_of(RegistryCollective::alltoallv, {{kShortUpTo, algorithm}, {0, kForLong}})});
      for (const Pair& pair : pairs(runner.ranks()))
        runner.run(rondo::text("from ", pair.source, " to ", pair.destination, ", ", algorithm,
                               ", ranks ", placement.name),
                   run_pair, pair);
    }
  }
  return runner.finish();
}
