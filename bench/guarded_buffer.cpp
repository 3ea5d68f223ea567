#include "guarded_buffer.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <stdexcept>

#include "base/bytes.hpp"

namespace rondo::bench {

GuardedBuffer::GuardedBuffer(std::vector<std::size_t> block_bytes, const Spacing& spacing)
    : block_bytes_(std::move(block_bytes)) {
  std::size_t end = 0;
  for (const std::size_t bytes : block_bytes_) {
    displacements_.push_back(displacements_.empty() ? 0 : checked_add(end, spacing.gap_bytes));
    end = checked_add(displacements_.back(), bytes);
  }
  if (end > spacing.most_span_bytes)
    throw Error(ErrorClass::count, text("a rank's blocks span ", end, " bytes, and displacements ",
                                        "reach ", spacing.most_span_bytes));
  try {
    memory_.assign(checked_add(end, 2 * kGuardBytes), kPoison);
  } catch (const std::exception&) {  // bad_alloc or length_error
    throw Error(ErrorClass::no_memory, text("no memory for a buffer of ", end, " bytes"));
  }
}

std::size_t GuardedBuffer::payload_bytes() const {
  return std::accumulate(block_bytes_.begin(), block_bytes_.end(), std::size_t{0});
}

void GuardedBuffer::poison() {
  std::fill(memory_.begin(), memory_.end(), kPoison);
}

}  // namespace rondo::bench
