// Exchanges of lengths that are drawn from a seed, on both sides of every threshold, with every byte
// checked.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "support/byte_blocks.hpp"
#include "support/calls.hpp"
#include "support/distribution.hpp"
#include "support/random.hpp"

namespace rondo::testing {

inline constexpr std::size_t kGap = 8;  ///< bytes between blocks that must survive

/// Lengths in bytes: none, in a cell, in a slot, past the small threshold, past the others.
struct Range {
  std::size_t low;
  std::size_t high;
};
inline constexpr std::array<Range, 5> kRanges = {
    {{0, 0}, {1, 48}, {49, 256}, {257, 3000}, {30'000, 70'000}}};
inline constexpr unsigned kEveryRange = (1U << kRanges.size()) - 1;
inline constexpr unsigned kLongest = 1U << (kRanges.size() - 1);

/// The lengths of all blocks, drawn alike on all ranks.
struct Shape {
  explicit Shape(std::uint64_t drawn) : seed(drawn) {
    Random random(drawn);
    collective = static_cast<Collective>(random.below(3));
    is_in_place = random.below(4) == 0;
    idle = random.below(4) == 0 ? static_cast<int>(random.below(64)) : -1;
    ranges = 1U + static_cast<unsigned>(random.below(kEveryRange));
    if (random.below(16) != 0) ranges &= ~kLongest;
    if (ranges == 0) ranges = 1;
  }

  std::size_t bytes(Pair pair) const {
    if (is_in_place) pair = lower_first(pair);
    if (collective == Collective::alltoall) return draw({0, 0, pair.ranks});
    const bool is_idle =
        idle >= 0 && (pair.source == idle % pair.ranks || pair.destination == idle % pair.ranks);
    return is_idle ? 0 : draw(pair);
  }

  std::uint64_t seed;
  Collective collective;
  bool is_in_place;
  int idle;         ///< sends and receives nothing; -1: nobody
  unsigned ranges;  ///< bits of those that occur

 private:
  /// Every third length is the least and every third the largest of its range.
  std::size_t draw(Pair pair) const {
    Random random(hash(seed, pair.source, pair.destination));
    std::size_t pick = random.below(kRanges.size());
    while ((ranges >> pick & 1U) == 0) pick = (pick + 1) % kRanges.size();
    const Range range = kRanges[pick];
    const std::uint64_t third = random.below(3);
    if (third < 2) return third == 0 ? range.low : range.high;
    return range.low + random.below(range.high - range.low + 1);
  }
};

/// A shape as one rank sees it.
struct Part {
  Part(const Shape& whole, int own_rank, int all_ranks)
      : shape(whole),
        rank(own_rank),
        ranks(all_ranks),
        send(ranks, gap(),
             [&](int peer) {
               return whole.bytes(Pair{rank, peer, ranks});
             }),
        receive(ranks, gap(), [&](int peer) {
          return whole.bytes(Pair{peer, rank, ranks});
        }) {}

  std::size_t gap() const { return shape.collective == Collective::alltoall ? 0 : kGap; }

  Shape shape;
  int rank;
  int ranks;
  ByteBlocks send;
  ByteBlocks receive;
};

/// The bytes of one exchange at one rank.
class Data {
 public:
  Data(std::shared_ptr<const Part> part, std::uint64_t seed)
      : part_(std::move(part)),
        seed_(seed),
        sent_(part_->send.bytes + kGap, static_cast<std::byte>(seed)),
        received_(part_->receive.bytes + kGap, static_cast<std::byte>(seed)),
        expected_(received_) {
    for (int peer = 0; peer < part_->ranks; ++peer) {
      write(part_->shape.is_in_place ? received_ : sent_, part_->send, part_->rank, peer);
      write(expected_, part_->receive, peer, part_->rank);
    }
  }

  const Part& part() const { return *part_; }
  Arguments send() {
    return part_->shape.is_in_place ? in_place() : part_->send.arguments(sent_.data());
  }
  Arguments receive() { return part_->receive.arguments(received_.data()); }

  /// The offset of the first wrong byte, or no_difference.
  static constexpr std::ptrdiff_t no_difference = -1;
  std::ptrdiff_t first_difference() const {
    const auto wrong = std::ranges::mismatch(received_, expected_).in1;
    return wrong == received_.end() ? no_difference : wrong - received_.begin();
  }

 private:
  void write(std::vector<std::byte>& buffer, const ByteBlocks& table, int source,
             int destination) const {
    const auto peer = static_cast<std::size_t>(&table == &part_->send ? destination : source);
    std::byte* at = buffer.data() + table.displacements[peer];
    auto left = static_cast<std::size_t>(table.counts[peer]);
    for (std::uint64_t word = hash(seed_, source, destination); left > 0; word = mix(word)) {
      const std::size_t piece = std::min(left, sizeof word);
      std::memcpy(at, &word, piece);
      at += piece;
      left -= piece;
    }
  }

  std::shared_ptr<const Part> part_;
  std::uint64_t seed_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::vector<std::byte> expected_;
};

/// A plan with what it moves.
struct Planned {
  /// In place of an earlier plan.
  void make(std::shared_ptr<const Part> moved, MPI_Comm comm, Row& row) {
    free(row);
    part = std::move(moved);
    Data data(part, 0);
    row.expect_success(
        make_plan(part->shape.collective, data.send(), data.receive(), comm, MPI_INFO_NULL, &plan),
        "making a plan");
  }
  void free(Row& row) { row.expect_success(Rondo_Plan_free(&plan), "Rondo_Plan_free"); }

  std::shared_ptr<const Part> part{};
  Rondo_Plan plan = RONDO_PLAN_NULL;
};

}  // namespace rondo::testing
