#include "support/pages.hpp"

#include <sys/mman.h>

#include <new>
#include <stdexcept>
#include <utility>

namespace rondo::testing {

namespace {

void protect(std::byte* data, std::size_t bytes, int protection) {
  if (bytes != 0 && mprotect(data, bytes, protection) != 0)
    throw std::runtime_error("mprotect failed");
}

}  // namespace

Pages::Pages(std::size_t bytes, const Home& home) : bytes_(bytes), memory_(home.memory) {
  if (bytes == 0) return;
  if (memory_ != nullptr) {
    passed_ = memory_->allocate(bytes, home.residence);
    data_ = memory_->view(passed_);
    return;
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = passed_ = static_cast<std::byte*>(memory);
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      passed_(std::exchange(other.passed_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      memory_(other.memory_) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(passed_, other.passed_);
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Pages::~Pages() {
  if (data_ == nullptr) return;
  if (memory_ != nullptr)
    memory_->release(passed_);
  else
    munmap(data_, bytes_);
}

void Pages::make_read_only() const {
  protect(data_, bytes_, PROT_READ);
}
void Pages::make_writable() const {
  protect(data_, bytes_, PROT_READ | PROT_WRITE);
}

}  // namespace rondo::testing
