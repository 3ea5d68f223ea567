// The blocks of one exchange between GPUs, for the host and for the device.
#pragma once

#include <cstddef>

#include "base/bytes.hpp"

/// Marks functions that kernels call, and that tests without a GPU call too.
#ifdef __CUDACC__
#define RONDO_DEVICE __host__ __device__
#else
#define RONDO_DEVICE
#endif

namespace rondo::gpu {

/// What an exchange writes where only the sender of a block knows its length. Lengths are in rows of
/// Blocks::element_bytes. The blocks follow each other in both buffers. The arrays lie on the device.
struct Arriving {
  std::size_t sent_rows = 0;             ///< in the buffer that is sent
  std::size_t room = 0;                  ///< rows of the buffer that receives
  std::size_t* counts = nullptr;         ///< written: the length of each block that arrives
  std::size_t* displacements = nullptr;  ///< written: where it begins
};

/// P blocks to send and P blocks to receive, by rank. Without counts all of them have
/// `uniform_bytes` bytes. Counts and displacements are in elements. The four arrays lie on the host
/// or, if `on_device`, in memory that only the device reads.
struct Blocks {
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t uniform_bytes = 0;
  std::size_t element_bytes = 1;
  const std::size_t* send_counts = nullptr;
  const std::size_t* send_displacements = nullptr;
  const std::size_t* receive_counts = nullptr;
  const std::size_t* receive_displacements = nullptr;
  bool on_device = false;
  Arriving arriving = {};

  RONDO_DEVICE bool is_uniform() const { return send_counts == nullptr; }
  /// Whether receivers learn the lengths from the exchange. Only send_counts is given then.
  RONDO_DEVICE bool is_dynamic() const { return arriving.counts != nullptr; }

  RONDO_DEVICE ConstBlock to(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    if (is_uniform()) return {send + at * uniform_bytes, uniform_bytes};
    return {send + send_displacements[at] * element_bytes, send_counts[at] * element_bytes};
  }
  RONDO_DEVICE Block from(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    if (is_uniform()) return {receive + at * uniform_bytes, uniform_bytes};
    return {receive + receive_displacements[at] * element_bytes,
            receive_counts[at] * element_bytes};
  }
};

}  // namespace rondo::gpu
