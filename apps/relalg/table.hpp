// A relation as a rank has it.
#pragma once

#include <string>
#include <vector>

#include "relalg/index.hpp"
#include "relalg/placement.hpp"
#include "relalg/tuple_set.hpp"

namespace rondo::relalg {

/// The tuples of a relation on this rank: those that older rounds had, those of the last round, and
/// behind them those that are just coming in.
struct Table {
  std::string name;
  std::vector<int> placed_by;
  std::vector<int> other_columns;  ///< which say in which piece of its bucket a spread tuple is
  bool spread = false;
  Placement* placement = nullptr;  ///< none: on all ranks

  TupleSet tuples;
  std::size_t old_end = 0;
  std::size_t delta_end = 0;
  std::vector<Index> indices = {};

  /// The index on these columns, ascending, by its number.
  std::size_t index_on(const std::vector<int>& columns);

  /// What came in becomes the last round's.
  void advance() {
    old_end = delta_end;
    delta_end = tuples.size();
  }

  /// Of a spread relation, where the tuple of this bucket lies.
  int rank_of_spread(const Word* tuple, std::size_t bucket) const {
    const Word hash = hash_columns(HashFor::pieces, tuple, other_columns);
    const auto pieces = static_cast<Word>(placement->pieces(bucket));
    return placement->rank(bucket, static_cast<int>(hash % pieces));
  }

  /// Whether the tuple, of those that lie here too, is counted here; over all ranks it is once.
  bool counted_here(const Word* tuple, int rank, int ranks) const;

  /// How many tuples from position `begin` on are counted here.
  std::size_t count_here(std::size_t begin, int rank, int ranks) const;
};

}  // namespace rondo::relalg
