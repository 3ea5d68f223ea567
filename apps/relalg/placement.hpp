// On which ranks the tuples of relations lie.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "relalg/hash.hpp"
#include "relalg/rule.hpp"

namespace rondo::relalg {

/// Where the buckets of relations lie that rules join with each other. A bucket has one piece, on its
/// first rank; if a relation of them is spread it may have more, on the ranks after that. Of a spread
/// relation a tuple is in one piece, and of the others in all. Alike on all ranks.
/// (Kumar and Gilray, balanced parallel relational algebra: pieces are the sub-buckets.)
class Placement {
 public:
  /// With `splits`, buckets may get more pieces.
  Placement(int ranks, bool splits);

  std::size_t buckets() const { return static_cast<std::size_t>(ranks_) * kBucketsPerRank; }
  std::size_t bucket(Word hash) const { return below(buckets(), hash); }
  int pieces(std::size_t bucket) const { return pieces_.empty() ? 1 : pieces_[bucket]; }
  int rank(std::size_t bucket, int piece) const {
    const int rank = static_cast<int>(bucket / kBucketsPerRank) + piece;
    return rank < ranks_ ? rank : rank - ranks_;
  }
  bool splits() const { return !pieces_.empty(); }

  /// Split buckets until, by these tuples of spread relations in each bucket, no rank has more than
  /// twice the mean and `few_tuples`, or nothing helps. Returns whether there is a change.
  bool balance(std::span<const Word> tuples, std::size_t few_tuples);

 private:
  static constexpr std::size_t kBucketsPerRank = 4;

  int ranks_;
  std::vector<int> pieces_;  ///< of each bucket; none, if there is one of each
};

}  // namespace rondo::relalg
