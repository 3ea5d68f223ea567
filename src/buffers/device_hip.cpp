// HIP, through its run-time library. The functions that Rondo uses are declared here.

#include "buffers/device.hpp"

namespace rondo::buffers {

namespace {

using HipStream = void*;
constexpr HipStream kHipDefaultStream = nullptr;

/// hipPointerAttribute_t, with room for members that later versions may add.
struct HipPointer {
  int memory = 0;
  int device = 0;
  void* device_pointer = nullptr;
  void* host_pointer = nullptr;
  int is_managed = 0;
  unsigned flags = 0;
  std::byte more[96]{};
};

enum HipCopyKind { kHipHostToDevice = 1, kHipDeviceToHost = 2 };

struct HipFunctions {
  int (*version)(int*);
  int (*pointer_attributes)(HipPointer*, const void*);
  int (*copy)(void*, const void*, std::size_t, int, HipStream);
  int (*wait)(HipStream);
  int (*last_error)();
  const char* (*describe)(int);

  bool find(const LoadedLibrary& library) {
    return library.find(version, "hipRuntimeGetVersion") &&
           library.find(pointer_attributes, "hipPointerGetAttributes") &&
           library.find(copy, "hipMemcpyAsync") && library.find(wait, "hipStreamSynchronize") &&
           library.find(last_error, "hipGetLastError") &&
           library.find(describe, "hipGetErrorString");
  }
};

class Hip final : public Device {
 public:
  Hip(const HipFunctions& functions, int device_memory)
      : Device("HIP"), hip_(functions), device_memory_(device_memory) {}

  bool holds(std::uintptr_t address) const override {
    HipPointer pointer;
    if (hip_.pointer_attributes(&pointer, reinterpret_cast<const void*>(address)) != 0) {
      hip_.last_error();  // clears this error, which the program could take for its own
      return false;
    }
    return pointer.memory == device_memory_ && pointer.is_managed == 0;
  }

 private:
  int begin(Direction direction, const DeviceCopy& copy) const override {
    auto* const device = reinterpret_cast<void*>(copy.device);
    return direction == Direction::to_host
               ? hip_.copy(copy.host, device, copy.bytes, kHipDeviceToHost, kHipDefaultStream)
               : hip_.copy(device, copy.host, copy.bytes, kHipHostToDevice, kHipDefaultStream);
  }
  int wait() const override { return hip_.wait(kHipDefaultStream); }
  const char* describe(int code) const override { return hip_.describe(code); }

  HipFunctions hip_;
  int device_memory_;
};

/// hipMemoryTypeDevice had another value before HIP 6.
constexpr int device_memory_of(int version) {
  constexpr int kVersion6 = 60000000;
  return version < kVersion6 ? 1 : 2;
}

}  // namespace

const Device* find_hip() {
  const LoadedLibrary library("libamdhip64.so");
  HipFunctions functions{};
  int version = 0;
  if (!functions.find(library) || functions.version(&version) != 0) return nullptr;
  return new Hip(functions, device_memory_of(version));
}

}  // namespace rondo::buffers
