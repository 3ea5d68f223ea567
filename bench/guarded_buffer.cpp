#include "guarded_buffer.hpp"

#include <algorithm>
#include <new>
#include <numeric>

#include "base/bytes.hpp"

namespace rondo::bench {

void GuardedBuffer::arrange(std::vector<std::size_t> block_bytes) {
  block_bytes_ = std::move(block_bytes);
  displacements_.clear();
  span_bytes_ = 0;
  for (const std::size_t bytes : block_bytes_) {
    displacements_.push_back(displacements_.empty() ? 0
                                                    : checked_add(span_bytes_, spacing_.gap_bytes));
    span_bytes_ = checked_add(displacements_.back(), bytes);
  }
  if (span_bytes_ > spacing_.most_span_bytes)
    throw Error(ErrorClass::count, text("a rank's blocks span ", span_bytes_, " bytes, and ",
                                        "displacements reach ", spacing_.most_span_bytes));
  const std::size_t needed = checked_add(span_bytes_, 2 * kGuardBytes);
  if (needed <= memory_.size()) return;
  try {
    memory_.assign(needed, kPoison);
  } catch (const std::exception&) {  // bad_alloc or length_error
    throw Error(ErrorClass::no_memory, text("no memory for a buffer of ", span_bytes_, " bytes"));
  }
}

std::size_t GuardedBuffer::payload_bytes() const {
  return std::accumulate(block_bytes_.begin(), block_bytes_.end(), std::size_t{0});
}

void GuardedBuffer::poison() {
  std::fill(memory_.begin(), memory_.end(), kPoison);
}

std::optional<WrongByte> GuardedBuffer::first_difference(const GuardedBuffer& expected) const {
  const auto [here, there] = std::ranges::mismatch(memory_, expected.memory_);
  if (here == memory_.end()) return std::nullopt;
  WrongByte wrong{.offset = here - memory_.begin() - static_cast<std::int64_t>(kGuardBytes),
                  .found = std::to_integer<std::uint8_t>(*here),
                  .expected = std::to_integer<std::uint8_t>(*there)};
  for (int rank = 0; rank < blocks(); ++rank) {
    const auto offset = wrong.offset - static_cast<std::int64_t>(displacement(rank));
    if (offset < 0 || offset >= static_cast<std::int64_t>(block_bytes(rank))) continue;
    wrong.block = rank;
    wrong.offset = offset;
    break;
  }
  return wrong;
}

}  // namespace rondo::bench
