// New arrays of numpy.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <utility>

#include "objects/view.hpp"

namespace rondo::python {

/// Ranks, counts or displacements.
using Numbers = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

template <class Integer>
Numbers array_of(const Integer* values, std::size_t size) {
  auto copy = std::make_unique_for_overwrite<std::int64_t[]>(size);
  std::copy_n(values, size, copy.get());
  std::int64_t* const data = copy.release();
  const nb::capsule owner(data,
                          [](void* held) noexcept { delete[] static_cast<std::int64_t*>(held); });
  return Numbers(data, {size}, owner);
}

/// The bytes of the elements that have arrived.
using Bytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

/// These bytes, counts and displacements.
using Received = std::tuple<Bytes, Numbers, Numbers>;

/// Memory from malloc for elements of `element_bytes` bytes.
struct Arrived {
  std::size_t element_bytes;
  void* data = nullptr;
  std::size_t bytes = 0;
  ~Arrived() { std::free(data); }

  /// Hands the memory over to an array.
  Bytes release() {
    void* const memory = std::exchange(data, nullptr);
    const nb::capsule owner(memory != nullptr ? memory : std::malloc(1),
                            [](void* held) noexcept { std::free(held); });
    return Bytes(owner.data(), {bytes}, owner);
  }

  /// The function that a dynamic exchange calls with an Arrived.
  template <std::integral Number>
  static void* allocate(Number count, void* extra) {
    auto& arrived = *static_cast<Arrived*>(extra);
    arrived.bytes = static_cast<std::size_t>(count) * arrived.element_bytes;
    arrived.data = std::malloc(arrived.bytes);
    return arrived.data;
  }
};

}  // namespace rondo::python
