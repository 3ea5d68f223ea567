// Hashes of columns, which decide on which rank a tuple is, and where that rank finds it.
#pragma once

#include <cstddef>
#include <span>

#include "relalg/rule.hpp"

namespace rondo::relalg {

/// Hashes for different purposes must be independent. Otherwise the tuples of one rank would share
/// the slots of its tables.
enum class HashFor : Word {
  slots = 0x9e3779b97f4a7c15,
  buckets = 0xc2b2ae3d27d4eb4f,
  pieces = 0x165667b19e3779f9,
};

/// The product of two words has two halves, which together depend on all bits.
inline Word fold(Word a, Word b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<Word>(product) ^ static_cast<Word>(product >> 64);
}

class Hash {
 public:
  explicit Hash(HashFor purpose) : state_(static_cast<Word>(purpose)) {}
  void add(Word word) { state_ = fold(state_ ^ word, 0xd6e8feb86659fd93) + 0xa0761d6478bd642f; }
  Word value() const { return fold(state_, 0xe7037ed1a0b428db); }

 private:
  Word state_;
};

inline Word hash_words(HashFor purpose, const Word* words, std::size_t count) {
  Hash hash(purpose);
  for (std::size_t i = 0; i < count; ++i) hash.add(words[i]);
  return hash.value();
}

inline Word hash_columns(HashFor purpose, const Word* tuple, std::span<const int> columns) {
  Hash hash(purpose);
  for (const int column : columns) hash.add(tuple[column]);
  return hash.value();
}

/// Maps the upper bits of the hash to a number below `count`.
inline std::size_t below(std::size_t count, Word hash) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>((static_cast<Wide>(hash) * count) >> 64);
}

}  // namespace rondo::relalg
