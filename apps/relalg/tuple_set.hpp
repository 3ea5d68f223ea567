// The tuples of a relation that are on this rank.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "relalg/hash.hpp"
#include "relalg/position_table.hpp"
#include "relalg/rule.hpp"

namespace rondo::relalg {

/// Distinct tuples in the order of their arrival, so that those of the last round are at the end,
/// and a table to find them.
class TupleSet {
 public:
  explicit TupleSet(int arity) : arity_(static_cast<std::size_t>(arity)) {}

  std::size_t size() const { return size_; }
  std::size_t arity() const { return arity_; }
  /// Valid until the next tuple is inserted.
  const Word* operator[](std::size_t position) const { return &words_[position * arity_]; }

  /// Inserts, one after the other, those tuples that are not in the set yet.
  void insert(std::span<const Word> tuples);

  /// Returns the position of the tuple, or kNowhere.
  Position find(const Word* tuple) const;

 private:
  struct Free {
    void operator()(Word* words) const { std::free(words); }
  };

  bool equal(Position position, const Word* tuple) const;
  void insert_one(const Word* tuple, Word hash);
  void grow();

  std::size_t arity_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::unique_ptr<Word[], Free> words_;
  PositionTable positions_;
};

}  // namespace rondo::relalg
