// A buffer in device memory, by way of the host: its blocks are packed there before an exchange and
// come back from there afterwards.
#pragma once

#include "buffers/binding.hpp"
#include "buffers/device.hpp"
#include "exchange/context.hpp"

namespace rondo::buffers {

/// The device that holds a side's buffer, or null: that which holds its first byte, for all blocks
/// are to be in one kind of memory. For programs that may_use_devices().
const Device* device_of(const Side& side, const void* buffer);

/// One side in device memory and, one block behind the other, its packed form. One at a time on a
/// communicator. All memory that is needed is had when this is made.
///
/// Blocks of contiguous types are copied as they are. Of others the device cannot make packed bytes,
/// nor can MPI from there: the region that they lie in is copied to an image on the host as a whole.
class Staging {
 public:
  Staging(exchange::Context& context, const Device& device, const Side& side, const void* buffer,
          std::byte* packed);

  /// From the device to the packed form.
  void read() const;

  /// From the packed form to the device. No byte outside the blocks changes: what is between those
  /// of a type that is not contiguous is read first and written as it was.
  void write() const;

 private:
  void add_block(std::uintptr_t address, std::byte* packed, std::size_t bytes);
  void add_region(std::uintptr_t address, const Part& part);
  void make_images();
  std::byte* in_image(std::uintptr_t address, const Part& part) const;
  template <class Visit>
  void for_each_scattered(Visit&& visit) const;

  exchange::Context& context_;
  const Device& device_;
  const Side& side_;
  std::uintptr_t buffer_;
  std::byte* packed_;
  std::span<DeviceCopy> blocks_;  ///< of contiguous types
  std::span<DeviceCopy> images_;  ///< in the order of their addresses, disjoint
};

}  // namespace rondo::buffers
