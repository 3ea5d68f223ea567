#include "relalg/tuple_set.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace rondo::relalg {

void TupleSet::insert(std::span<const Word> tuples) {
  // Almost every tuple misses the cache, so several wait for memory at the same time.
  constexpr std::size_t kTogether = 16;
  std::array<Word, kTogether> hashes;
  const std::size_t count = tuples.size() / arity_;
  for (std::size_t first = 0; first < count; first += kTogether) {
    const std::size_t together = std::min(kTogether, count - first);
    const Word* tuple = &tuples[first * arity_];
    for (std::size_t i = 0; i < together; ++i) {
      hashes[i] = hash_words(HashFor::slots, tuple + i * arity_, arity_);
      positions_.prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < together; ++i) insert_one(tuple + i * arity_, hashes[i]);
  }
}

Position TupleSet::find(const Word* tuple) const {
  return positions_.find(hash_words(HashFor::slots, tuple, arity_),
                         [&](Position position) { return equal(position, tuple); });
}

bool TupleSet::equal(Position position, const Word* tuple) const {
  return std::equal(tuple, tuple + arity_, (*this)[position]);
}

void TupleSet::insert_one(const Word* tuple, Word hash) {
  if (size_ == kNowhere - 1)
    throw std::length_error("a relation has too many tuples on one rank for a 32-bit position");
  const auto position = static_cast<Position>(size_);
  const Position found = positions_.find_or_insert(
      hash, position, [&](Position other) { return equal(other, tuple); });
  if (found != position) return;
  if (size_ == capacity_) grow();
  std::copy_n(tuple, arity_, &words_[size_ * arity_]);
  ++size_;
}

/// realloc moves the pages of large blocks instead of copying them, so growing needs no memory for
/// a second copy.
void TupleSet::grow() {
  const std::size_t capacity = capacity_ == 0 ? 64 : 2 * capacity_;
  void* larger = std::realloc(words_.get(), capacity * arity_ * sizeof(Word));
  if (larger == nullptr) throw std::bad_alloc();
  static_cast<void>(words_.release());
  words_.reset(static_cast<Word*>(larger));
  capacity_ = capacity;
}

}  // namespace rondo::relalg
