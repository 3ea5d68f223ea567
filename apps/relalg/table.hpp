// The part of a relation that a rank has.
#pragma once

#include <string>
#include <vector>

#include "relalg/index.hpp"
#include "relalg/placement.hpp"
#include "relalg/tuple_set.hpp"

namespace rondo::relalg {

/// The tuples of a relation on this rank: those of older rounds, then those of the last round, then
/// those that are being inserted.
struct Table {
  std::string name;
  std::vector<int> placed_by;
  std::vector<int> other_columns;  ///< which decide in which piece of its bucket a spread tuple is
  bool spread = false;
  Placement* placement = nullptr;  ///< null if the relation is on all ranks

  TupleSet tuples;
  std::size_t old_end = 0;
  std::size_t delta_end = 0;
  std::vector<Index> indices = {};

  /// Returns the number of the index on these columns, which are ascending.
  std::size_t index_on(const std::vector<int>& columns);

  /// The tuples that were inserted become the last round's.
  void advance() {
    old_end = delta_end;
    delta_end = tuples.size();
  }

  /// The rank of a tuple of a spread relation in this bucket.
  int rank_of_spread(const Word* tuple, std::size_t bucket) const {
    const Word hash = hash_columns(HashFor::pieces, tuple, other_columns);
    const auto pieces = static_cast<Word>(placement->pieces(bucket));
    return placement->rank(bucket, static_cast<int>(hash % pieces));
  }

  /// Whether the tuple is counted on this rank. Over all ranks that have it, it is counted once.
  bool counted_here(const Word* tuple, int rank, int ranks) const;

  /// How many tuples from position `begin` on are counted on this rank.
  std::size_t count_here(std::size_t begin, int rank, int ranks) const;
};

}  // namespace rondo::relalg
