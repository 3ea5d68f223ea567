// Finds the tuples of a relation that have given values in some columns.
#pragma once

#include <cstddef>
#include <vector>

#include "relalg/hash.hpp"
#include "relalg/position_table.hpp"
#include "relalg/tuple_set.hpp"

namespace rondo::relalg {

/// For each combination of values, the positions of its tuples, linked from the last to the first.
class Index {
 public:
  explicit Index(std::vector<int> columns) : columns_(std::move(columns)) {}

  const std::vector<int>& columns() const { return columns_; }

  /// Adds the tuples up to position `end` that have not been added yet.
  void catch_up(const TupleSet& tuples, std::size_t end);

  /// Returns the last tuple that has the words of `key` in the columns, or kNowhere.
  Position last(const TupleSet& tuples, const Word* key) const;

  /// Returns the previous tuple with the same key, or kNowhere.
  Position before(Position position) const { return before_[position]; }

 private:
  std::vector<int> columns_;
  PositionTable keys_;  ///< index into lasts_, one for each key
  std::vector<Position> lasts_;
  std::vector<Position> before_;  ///< one for each tuple
};

}  // namespace rondo::relalg
