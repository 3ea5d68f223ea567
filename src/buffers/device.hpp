// Memory of an accelerator, which the host cannot touch: by way of the libraries that the program has
// loaded to use it. Nothing is linked, nothing is loaded, and no device is woken that the program
// does not use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::buffers {

/// Bytes in memory of a device, and as many in memory of the host.
struct DeviceCopy {
  std::uintptr_t device = 0;
  std::byte* host = nullptr;
  std::size_t bytes = 0;
};

/// One library for devices of one kind.
class Device {
 public:
  virtual ~Device() = default;

  /// Whether the address is in memory that only a device can touch: not managed memory, nor the
  /// host's own that a device may see.
  virtual bool holds(std::uintptr_t address) const = 0;

  /// Copy to the host, or to the device; in order, and done on return. Throws Error(other), after
  /// which some may have been copied.
  virtual void read(std::span<const DeviceCopy> copies) const = 0;
  virtual void write(std::span<const DeviceCopy> copies) const = 0;
};

/// Local. Whether the program has loaded a library for devices by now. To be asked at every
/// exchange, since a program may load one after its first: without one it costs some 20 ns.
bool may_use_devices();

/// Local. The device that holds the address; null if that is memory of the host. For programs that
/// may_use_devices().
const Device* device_at(std::uintptr_t address);

/// CUDA's driver library, or HIP's run-time library; null unless the program has loaded it.
const Device* find_cuda();
const Device* find_hip();

}  // namespace rondo::buffers
