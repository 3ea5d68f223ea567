// Moves a buffer in device memory through host memory: its blocks are packed on the host before an
// exchange and copied back after it.
#pragma once

#include "base/scratch.hpp"
#include "buffers/binding.hpp"
#include "buffers/device.hpp"

namespace rondo::buffers {

/// Returns the device that holds the first byte of a side's buffer, or null. All blocks must be in
/// the same kind of memory. Call it only if may_use_devices().
const Device* device_of(const Side& side, const void* buffer);

/// One side in device memory, and its packed blocks on the host, one after another. The constructor
/// allocates all memory. A communicator has at most one Staging at a time.
///
/// Blocks of contiguous types are copied as they are. Neither the device nor MPI can pack other
/// types from device memory, so the whole region of such a block is copied to an image on the host.
class Staging {
 public:
  Staging(Scratch& scratch, MPI_Comm comm, const Device& device, const Side& side,
          const void* buffer, std::byte* packed);

  /// Copies from the device to the packed blocks.
  void read() const;

  /// Copies from the packed blocks to the device. No byte outside the blocks changes: the gaps of
  /// non-contiguous types are read first and written back unchanged.
  void write() const;

 private:
  void add_block(std::uintptr_t address, std::byte* packed, std::size_t bytes);
  void add_region(std::uintptr_t address, const Part& part);
  void make_images();
  std::byte* in_image(std::uintptr_t address, const Part& part) const;
  template <class Visit>
  void for_each_scattered(Visit&& visit) const;

  Scratch& scratch_;
  MPI_Comm comm_;  ///< for MPI_Pack
  const Device& device_;
  const Side& side_;
  std::uintptr_t buffer_;
  std::byte* packed_;
  std::span<DeviceCopy> blocks_;  ///< of contiguous types
  std::span<DeviceCopy> images_;  ///< disjoint, in ascending order of address
};

}  // namespace rondo::buffers
