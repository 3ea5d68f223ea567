#include "support/counted_new.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace rondo::testing::counted_new {

namespace {

std::atomic<std::size_t> made{0};
std::atomic<std::size_t> freed{0};
std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};
constexpr std::ptrdiff_t kNever = -1;
std::atomic<std::ptrdiff_t> before_failure{kNever};  ///< allocations

/// Whether this allocation is one to fail.
bool fails() {
  return before_failure != kNever && before_failure-- == 0;
}

void* count(void* memory) {
  if (memory == nullptr) return nullptr;
  ++made;
  const std::size_t now = live += malloc_usable_size(memory);
  if (now > peak) peak = now;
  return memory;
}

}  // namespace

std::size_t allocations() {
  return made;
}
std::size_t live_allocations() {
  return made - freed;
}
std::size_t live_bytes() {
  return live;
}
std::size_t peak_bytes() {
  return peak;
}
void reset_peak() {
  peak = live.load();
}

void fail_at(std::size_t allocation) {
  before_failure = static_cast<std::ptrdiff_t>(allocation);
}
bool end_failing() {
  return before_failure.exchange(kNever) < 0;
}

void* allocate(std::size_t bytes) noexcept {
  if (fails()) return nullptr;
  return count(std::malloc(bytes == 0 ? 1 : bytes));
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  if (fails()) return nullptr;
  void* memory = nullptr;
  const auto boundary = static_cast<std::size_t>(alignment);
  if (posix_memalign(&memory, boundary, bytes == 0 ? 1 : bytes) != 0) return nullptr;
  return count(memory);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) {
    ++freed;
    live -= malloc_usable_size(memory);
  }
  std::free(memory);
}

}  // namespace rondo::testing::counted_new

using namespace rondo::testing::counted_new;

// Each of the standard's forms, for one object and for an array.
#define RONDO_NEW(parameters, qualifiers, result) \
  void* operator new parameters qualifiers {      \
    return result;                                \
  }                                               \
  void* operator new[] parameters qualifiers {    \
    return result;                                \
  }
RONDO_NEW((std::size_t bytes), , or_throw(allocate(bytes)))
RONDO_NEW((std::size_t bytes, std::align_val_t to), , or_throw(allocate(bytes, to)))
RONDO_NEW((std::size_t bytes, const std::nothrow_t&), noexcept, allocate(bytes))
RONDO_NEW((std::size_t bytes, std::align_val_t to, const std::nothrow_t&), noexcept,
          allocate(bytes, to))

#define RONDO_DELETE(...)                                     \
  void operator delete(void* memory __VA_ARGS__) noexcept {   \
    release(memory);                                          \
  }                                                           \
  void operator delete[](void* memory __VA_ARGS__) noexcept { \
    release(memory);                                          \
  }
RONDO_DELETE()
RONDO_DELETE(, std::size_t)
RONDO_DELETE(, std::align_val_t)
RONDO_DELETE(, std::size_t, std::align_val_t)
RONDO_DELETE(, const std::nothrow_t&)
RONDO_DELETE(, std::align_val_t, const std::nothrow_t&)
