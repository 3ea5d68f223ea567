// On which ranks the tuples of relations are stored.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "relalg/hash.hpp"
#include "relalg/rule.hpp"

namespace rondo::relalg {

/// The placement of the buckets of relations that rules join with each other. A bucket has one
/// piece, on its first rank. If one of the relations is spread, the bucket may have more pieces, on
/// the following ranks. A tuple of a spread relation is in one piece, and a tuple of another
/// relation is in all pieces. The placement is the same on all ranks. (Kumar and Gilray, balanced
/// parallel relational algebra, call the pieces sub-buckets.)
class Placement {
 public:
  /// With `splits`, buckets may be split into more pieces.
  Placement(int ranks, bool splits);

  std::size_t buckets() const { return static_cast<std::size_t>(ranks_) * kBucketsPerRank; }
  std::size_t bucket(Word hash) const { return below(buckets(), hash); }
  int pieces(std::size_t bucket) const { return pieces_.empty() ? 1 : pieces_[bucket]; }
  int rank(std::size_t bucket, int piece) const {
    const int rank = static_cast<int>(bucket / kBucketsPerRank) + piece;
    return rank < ranks_ ? rank : rank - ranks_;
  }
  bool splits() const { return !pieces_.empty(); }

  /// Splits buckets until no rank has more than twice the mean and more than `few_tuples`, or until
  /// splitting does not help. `tuples` is the number of tuples of spread relations in each bucket.
  /// Returns whether anything has changed.
  bool balance(std::span<const Word> tuples, std::size_t few_tuples);

 private:
  static constexpr std::size_t kBucketsPerRank = 4;

  int ranks_;
  std::vector<int> pieces_;  ///< of each bucket; empty if all have one
};

}  // namespace rondo::relalg
