// Memory in pages of its own, so that it can be made read-only while a call runs: a library that
// writes what it must only read ends the program with the row's name.
#pragma once

#include <cstddef>
#include <vector>

#include "devices/memory.hpp"

namespace rondo::testing {

/// No memory stands behind them until they are touched: blocks past 2 GiB fit on any machine.
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes, const Home& home = {});
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  /// The address to be passed to a library, which is not data() if a device holds the memory.
  std::byte* passed() const { return passed_; }

  void make_read_only() const;
  void make_writable() const;

 private:
  std::byte* data_ = nullptr;
  std::byte* passed_ = nullptr;
  std::size_t bytes_ = 0;
  DeviceMemory* memory_ = nullptr;
};

/// A copy of `values` in read-only pages.
template <class Value>
class ReadOnly {
 public:
  explicit ReadOnly(const std::vector<Value>& values) : pages_(values.size() * sizeof(Value)) {
    auto* to = reinterpret_cast<Value*>(pages_.data());
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = values[i];
    pages_.make_read_only();
  }
  const Value* data() const { return reinterpret_cast<const Value*>(pages_.data()); }

  /// Fills the memory with the byte 0x7f, so that later reads find nonsense.
  void scramble() const {
    pages_.make_writable();
    for (std::size_t i = 0; i < pages_.bytes(); ++i) pages_.data()[i] = std::byte{0x7f};
    pages_.make_read_only();
  }

 private:
  Pages pages_;
};

}  // namespace rondo::testing
