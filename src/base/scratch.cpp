#include "base/scratch.hpp"

#include <algorithm>
#include <new>
#include <numeric>

namespace rondo {

namespace {
constexpr std::align_val_t kAlignment{64};
}

void Buffer::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, kAlignment);
}

std::byte* Buffer::grow(std::size_t bytes) {
  // Grow by at least half, so that totals that rise slowly do not allocate at every call.
  const std::size_t larger = std::max({bytes, capacity_ + capacity_ / 2, std::size_t{64}});
  memory_.reset();
  capacity_ = 0;
  memory_.reset(static_cast<std::byte*>(::operator new(larger, kAlignment, std::nothrow)));
  if (!memory_)
    throw Error(ErrorClass::no_memory,
                text("cannot allocate ", larger, " bytes of scratch memory"));
  capacity_ = larger;
  return memory_.get();
}

std::size_t Scratch::held_bytes() const {
  return std::accumulate(
      buffers_.begin(), buffers_.end(), std::size_t{0},
      [](std::size_t sum, const Buffer& buffer) { return sum + buffer.capacity(); });
}

}  // namespace rondo
