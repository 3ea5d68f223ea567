// Memory of an accelerator, which the host cannot touch: by way of the libraries that the program has
// loaded to use it. Nothing is linked, nothing is loaded, and no device is woken that the program
// does not use.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

/// A library that the program has loaded, and functions of it.
class LoadedLibrary {
 public:
  /// The first of these sonames that is loaded. It is not unloaded any more.
  explicit LoadedLibrary(std::initializer_list<const char*> sonames) {
    for (const char* soname : sonames)
      if (handle_ == nullptr) handle_ = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
  }

  /// Set `function` to the one of that name; false if the library, or that function, is not there.
  template <class Function>
  bool find(Function& function, const char* name) const {
    if (handle_ == nullptr) return false;
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace rondo::buffers
