// Blocks of bytes, and arithmetic on byte lengths that detects overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace rondo {

/// A block to send: the bytes for one rank.
struct ConstBlock {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// A block to receive: memory for the bytes from one rank.
struct Block {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// As memcpy, but null pointers are allowed if nothing is copied, and a copy onto itself does
/// nothing.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

/// As copy_bytes(), without a call for 8 to 16 bytes, which are copied as two words that may overlap.
inline void copy_short(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::uint64_t words[2];
  constexpr std::size_t kWord = sizeof words[0];
  if (bytes - kWord > kWord) return copy_bytes(to, from, bytes);
  std::memcpy(&words[0], from, kWord);
  std::memcpy(&words[1], from + bytes - kWord, kWord);
  std::memcpy(to, &words[0], kWord);
  std::memcpy(to + bytes - kWord, &words[1], kWord);
}

/// Returns `base + offset`. With MPI_BOTTOM the base is null and the offset is an address.
template <class Pointer>
Pointer at_offset(Pointer base, std::ptrdiff_t offset) {
  return reinterpret_cast<Pointer>(reinterpret_cast<std::uintptr_t>(base) +
                                   static_cast<std::uintptr_t>(offset));
}

/// Returns the lowest multiple of `unit` that is not below `bytes`.
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

inline std::size_t checked_multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw Error(ErrorClass::count, text(a, " x ", b, " bytes do not fit in the address space"));
  return product;
}

inline std::size_t checked_add(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    throw Error(ErrorClass::count, text(a, " + ", b, " bytes do not fit in the address space"));
  return sum;
}

}  // namespace rondo
