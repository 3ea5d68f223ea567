// CUDA, through its driver library. Every program with device memory has loaded this library,
// whether or not it uses CUDA's run-time library. Unlike the run-time library, the driver
// classifies a pointer without initialising a device that the program never uses.
//
// cuda.h may be missing, so the functions are declared here. As in cuda.h, functions whose
// arguments changed once have names that end in _v2.

#include "buffers/device.hpp"

namespace rondo::buffers {

namespace {

using CudaContext = void*;
using CudaStream = void*;
constexpr CudaStream kDefaultStream = nullptr;

struct CudaFunctions {
  int (*pointer_attributes)(unsigned, int*, void**, std::uint64_t);
  int (*push)(CudaContext);
  int (*pop)(CudaContext*);
  int (*retain)(CudaContext*, int);
  int (*release)(int);
  int (*read)(void*, std::uint64_t, std::size_t, CudaStream);
  int (*write)(std::uint64_t, const void*, std::size_t, CudaStream);
  int (*wait)(CudaStream);
  int (*describe)(int, const char**);

  bool find(const LoadedLibrary& library) {
    return library.find(pointer_attributes, "cuPointerGetAttributes") &&
           library.find(push, "cuCtxPushCurrent_v2") && library.find(pop, "cuCtxPopCurrent_v2") &&
           library.find(retain, "cuDevicePrimaryCtxRetain") &&
           library.find(release, "cuDevicePrimaryCtxRelease") &&
           library.find(read, "cuMemcpyDtoHAsync_v2") &&
           library.find(write, "cuMemcpyHtoDAsync_v2") &&
           library.find(wait, "cuStreamSynchronize") && library.find(describe, "cuGetErrorString");
  }
};

struct CudaPointer {
  CudaContext context = nullptr;
  unsigned memory = 0;
  unsigned is_managed = 0;
  int device = 0;

  static constexpr unsigned kDeviceMemory = 2;
};

/// Returns what CUDA knows about an address; the default if it is not CUDA's.
CudaPointer describe_pointer(const CudaFunctions& cuda, std::uintptr_t address) {
  CudaPointer pointer;
  int attributes[] = {1, 2, 8, 9};  // CU_POINTER_ATTRIBUTE_CONTEXT, MEMORY_TYPE, IS_MANAGED,
                                    // DEVICE_ORDINAL
  void* values[] = {&pointer.context, &pointer.memory, &pointer.is_managed, &pointer.device};
  // A failure means that CUDA is not initialised, so no pointer is in device memory.
  return cuda.pointer_attributes(4, attributes, values, address) == 0 ? pointer : CudaPointer{};
}

class Cuda final : public Device {
 public:
  explicit Cuda(const CudaFunctions& functions) : Device("CUDA"), cuda_(functions) {}

  bool holds(std::uintptr_t address) const override {
    const CudaPointer pointer = describe_pointer(cuda_, address);
    return pointer.memory == CudaPointer::kDeviceMemory && pointer.is_managed == 0;
  }

 private:
  int begin(Direction direction, const DeviceCopy& copy) const override {
    return direction == Direction::to_host
               ? cuda_.read(copy.host, copy.device, copy.bytes, kDefaultStream)
               : cuda_.write(copy.device, copy.host, copy.bytes, kDefaultStream);
  }
  int wait() const override { return cuda_.wait(kDefaultStream); }
  const char* describe(int code) const override {
    const char* words = nullptr;
    return cuda_.describe(code, &words) == 0 && words != nullptr ? words : "unknown error";
  }

  /// Makes the context of the memory current for the copies. Memory of pools and mapped memory have no
  /// context; for them it is the primary context of their device.
  int copy_all(Direction direction, std::span<const DeviceCopy> copies) const override {
    const CudaPointer pointer = describe_pointer(cuda_, copies.front().device);
    CudaContext context = pointer.context;
    const bool is_retained = context == nullptr;
    if (is_retained) check(cuda_.retain(&context, pointer.device), "cuDevicePrimaryCtxRetain");
    const int pushed = cuda_.push(context);
    const int code = pushed == 0 ? Device::copy_all(direction, copies) : 0;
    if (pushed == 0) cuda_.pop(&context);
    if (is_retained) cuda_.release(pointer.device);
    check(pushed, "cuCtxPushCurrent");
    return code;
  }

  CudaFunctions cuda_;
};

}  // namespace

const Device* find_cuda() {
  CudaFunctions functions{};
  return functions.find(LoadedLibrary("libcuda.so")) ? new Cuda(functions) : nullptr;
}

}  // namespace rondo::buffers
