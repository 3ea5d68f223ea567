#include "random.hpp"

#include <bit>

namespace rondo::bench {

Permutation::Permutation(std::uint64_t size, std::uint64_t key) : size_(size), key_(key) {
  const auto bits = static_cast<unsigned>(std::bit_width(size > 1 ? size - 1 : 1));
  half_bits_ = (bits + 1) / 2;
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  std::uint64_t value = index;
  do {
    value = encrypt(value);
  } while (value >= size_);
  return value;
}

std::uint64_t Permutation::encrypt(std::uint64_t value) const {
  constexpr std::uint64_t kFeistelRounds = 6;  // few bits a half: more rounds than the usual four
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_;
  std::uint64_t right = value & mask;
  for (std::uint64_t round = 0; round < kFeistelRounds; ++round) {
    const std::uint64_t next = left ^ (hash(Draw::shuffle, {key_, round, right}) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

}  // namespace rondo::bench
