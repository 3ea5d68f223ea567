// Memory of an accelerator that the host cannot access. Rondo uses the libraries that the program
// has already loaded for it. It links and loads nothing, and initialises no device that the program
// does not use.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rondo::buffers {

/// A copy between device memory and host memory.
struct DeviceCopy {
  std::uintptr_t device = 0;
  std::byte* host = nullptr;
  std::size_t bytes = 0;
};

/// The library for one kind of device.
class Device {
 public:
  virtual ~Device() = default;

  /// Whether the address is in memory that only a device can access: neither managed memory nor
  /// host memory that a device can access.
  virtual bool holds(std::uintptr_t address) const = 0;

  /// Copy to the host, or to the device, in order. All copies are complete on return. After an
  /// Error(other) some may have been made.
  void read(std::span<const DeviceCopy> copies) const { run(Direction::to_host, copies); }
  void write(std::span<const DeviceCopy> copies) const { run(Direction::to_device, copies); }

 protected:
  enum class Direction { to_host, to_device };

  /// Begins a copy, or waits for all. These return the library's code, which is 0 if all is well.
  virtual int begin(Direction direction, const DeviceCopy& copy) const = 0;
  virtual int wait() const = 0;

  /// Returns the first code that is not 0, if any.
  virtual int copy_all(Direction direction, std::span<const DeviceCopy> copies) const;

  /// What the library says of a code.
  virtual const char* describe(int code) const = 0;

  /// Throws Error(other) if the code is not 0. `doing` is what has failed.
  void check(int code, std::string_view doing) const;

  const char* const name_;  ///< of the library

  explicit Device(const char* name) : name_(name) {}

 private:
  void run(Direction direction, std::span<const DeviceCopy> copies) const;
};

/// Local. Whether the program has loaded a device library by now. Every exchange must ask, since
/// the program may load one later. Without such a library the call takes about 20 ns.
bool may_use_devices();

/// Local. Returns the device that holds the address, or null if it is host memory. Call it only if
/// may_use_devices().
const Device* device_at(std::uintptr_t address);

/// Local. Whether the MPI library says that it supports the memory of all kinds of devices that the program may use.
bool library_supports_devices();

/// Return CUDA's driver library and HIP's run-time library, or null if the program has not loaded
/// it.
const Device* find_cuda();
const Device* find_hip();

/// A library that the program has loaded, and its functions.
class LoadedLibrary {
 public:
  /// Finds the loaded library whose file name begins with `stem`, whatever its version, and keeps it loaded.
  explicit LoadedLibrary(std::string_view stem);

  /// Sets `function` to the function `name`. Returns false if the library or the function is
  /// missing.
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
