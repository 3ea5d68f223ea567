// Byte blocks and arithmetic on byte lengths that cannot overflow unnoticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace rondo {

/// Bytes to be read: the block that one rank sends to one rank.
struct ConstBlock {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// Room to be written: where the block from one rank goes.
struct Block {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// memcpy that allows null pointers when nothing is copied and does nothing onto itself.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

/// `base + offset` for a base that may be null because the offset is an address (MPI_BOTTOM).
template <class Pointer>
Pointer at_offset(Pointer base, std::ptrdiff_t offset) {
  return reinterpret_cast<Pointer>(reinterpret_cast<std::uintptr_t>(base) +
                                   static_cast<std::uintptr_t>(offset));
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
