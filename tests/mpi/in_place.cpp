// MPI_IN_PLACE with blocks on both sides of the length from which pairs are exchanged in pieces,
// and of the one from which they leave the node's shared memory, and with another datatype of the
// same signature on every other rank: both ends of a pair must decide alike.
#include <rondo/rondo.h>

#include <algorithm>
#include <array>

#include "support/added_test.hpp"
#include "support/algorithms.hpp"
#include "support/placement.hpp"
#include "support/small.hpp"

namespace in_place_test {

using namespace rondo::testing;

constexpr int kGap = -77;

/// Ints in the blocks of pairs; alltoall takes the first.
struct Lengths {
  const char* name;
  std::array<int, 6> ints;

  /// The same from both ends.
  int of_pair(Collective collective, int a, int b) const {
    if (collective == Collective::alltoall) return ints[0];
    return ints[static_cast<std::size_t>(a + b) % ints.size()];
  }
};

constexpr Lengths kPieces = {"around 1 MiB", {300'000, 0, 5, 262'144, 262'145, 40'000}};

/// For a threshold of 64 bytes; cells hold 48.
constexpr Lengths kThresholds[] = {
    {"around 64 bytes", {17, 0, 15, 16, 12, 13}},
    {"up to 64 bytes", {16, 15, 0, 12, 1, 13}},
    {"from 4 bytes to 1 MiB", {1, 17, 262'145, 16, 262'144, 0}},
};
constexpr const char* kWithThresholds[] = {
    "node_aware:threshold=64",
    "node_aware:threshold=64:inter=direct:parts=2",
    "node_aware:threshold=64:inter=bruck",
};

int value(int source, int destination, int i) {
  return (source * 1009 + destination) * 101 + i;
}

/// This rank's buffer: every int followed by `stride - 1` others that must not change.
class Blocks {
 public:
  Blocks(std::vector<int> ints, int rank, int stride)
      : counts(std::move(ints)), rank_(rank), stride_(static_cast<std::size_t>(stride)) {
    for (const int count : counts) {
      displacements.push_back(static_cast<int>(ints_));
      byte_displacements.push_back(static_cast<int>(ints_ * stride_ * sizeof(int)));
      ints_ += static_cast<std::size_t>(count);
    }
    buffer.assign(ints_ * stride_, kGap);
    visit([&](int& at, int peer, int i) { at = value(rank_, peer, i); });
  }

  bool is_right() {
    bool right = true;
    visit([&](int& at, int peer, int i) { right = right && at == value(peer, rank_, i); });
    for (std::size_t i = 0; i < buffer.size(); ++i)
      if (i % stride_ != 0) right = right && buffer[i] == kGap;
    return right;
  }

  std::vector<int> counts, buffer, displacements, byte_displacements;

 private:
  template <class Visit>
  void visit(Visit&& visit) {
    for (std::size_t peer = 0; peer < counts.size(); ++peer)
      for (int i = 0; i < counts[peer]; ++i)
        visit(buffer[static_cast<std::size_t>(displacements[peer] + i) * stride_],
              static_cast<int>(peer), i);
  }

  int rank_;
  std::size_t stride_;
  std::size_t ints_ = 0;
};

void run_in_place(Collective collective, const std::string& algorithm, const Lengths& lengths,
                  Row& row) {
  const TestComm comm(collective, algorithm, row);
  const int rank = rank_of(comm);
  const int ranks = ranks_of(comm);
  const int stride = rank % 2 == 0 ? 1 : 2;
  const Type gapped = Type::resized(MPI_INT, 2 * sizeof(int));
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(ranks), stride == 1 ? MPI_INT : gapped);
  std::vector<int> ints;
  for (int peer = 0; peer < ranks; ++peer) ints.push_back(lengths.of_pair(collective, rank, peer));
  for (int repeat = 0; repeat < 2; ++repeat) {
    Blocks blocks(ints, rank, stride);
    const auto& displacements =
        collective == Collective::alltoallw ? blocks.byte_displacements : blocks.displacements;
    const Arguments receive{blocks.buffer.data(), blocks.counts.data(), displacements.data(),
                            types.data()};
    row.expect_success(exchange(collective, in_place(), receive, comm), name_of(collective));
    row.expect(blocks.is_right(), "wrong data, or a gap was written");
  }
}

void run_placement(const Placement& placement, Runner& runner) {
  const PlacedRanks placed(placement, runner.ranks());
  const auto run = [&](Collective collective, const std::string& algorithm,
                       const Lengths& lengths) {
    runner.run(rondo::text(name_of(collective), " ", algorithm, ", blocks ", lengths.name,
                           ", ranks ", placement.name),
               run_in_place, collective, algorithm, lengths);
  };
  for (const Collective collective : kCollectives) {
    for (const char* algorithm : kWithThresholds)
      for (const Lengths& lengths : kThresholds) run(collective, algorithm, lengths);
    if (placement.node_of != nullptr) continue;
    for (const std::string& algorithm : registered(collective, true))
      run(collective, algorithm, kPieces);
    for (const char* algorithm : kWithThresholds) run(collective, algorithm, kPieces);
  }
}

void run_test(Runner& runner) {
  for (const Placement& placement : placements(runner.ranks())) run_placement(placement, runner);
}

const AddedTest added({.name = "in_place", .run = run_test});

}  // namespace in_place_test
