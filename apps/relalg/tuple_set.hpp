// The tuples of a relation that lie on this rank.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

#include "relalg/hash.hpp"
#include "relalg/position_table.hpp"
#include "relalg/rule.hpp"

namespace rondo::relalg {

/// Distinct tuples one after the other in the order of their arrival, so that those of the last round
/// are the tail; and a table to find them.
class TupleSet {
 public:
  explicit TupleSet(int arity) : arity_(static_cast<std::size_t>(arity)) {}

  std::size_t size() const { return size_; }
  std::size_t arity() const { return arity_; }
  /// Until the next tuple is inserted.
  const Word* operator[](std::size_t position) const { return &words_[position * arity_]; }

  /// Put in those of the tuples, one after the other, which are not yet there.
  void insert(std::span<const Word> tuples);

  /// Where the tuple is, or kNowhere.
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
