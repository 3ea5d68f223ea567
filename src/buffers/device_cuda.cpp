// CUDA, through its driver library. Every program with device memory has loaded this library,
// whether or not it uses CUDA's run-time library. Unlike the run-time library, the driver
// classifies a pointer without initialising a device that the program never uses.
//
// cuda.h may be missing, so the functions are declared here. As in cuda.h, functions whose
// arguments changed once have names that end in _v2.

#include "base/error.hpp"
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

  void check(int code, const char* doing) const {
    if (code == 0) return;
    const char* words = nullptr;
    if (describe(code, &words) != 0 || words == nullptr) words = "unknown error";
    throw Error(ErrorClass::other,
                text(doing, " failed: CUDA reports ", words, " (", code,
                     "); check that the buffer is as large as its counts, displacements and types "
                     "require, and that the program's own work on the device succeeded"));
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

/// Makes the context of an address current while this object lives. Memory of pools and mapped
/// memory have no context; for them it is the primary context of their device.
class CurrentContext {
 public:
  CurrentContext(const CudaFunctions& cuda, std::uintptr_t address) : cuda_(cuda) {
    const CudaPointer pointer = describe_pointer(cuda, address);
    CudaContext context = pointer.context;
    if (context == nullptr) {
      cuda.check(cuda.retain(&context, pointer.device), "cuDevicePrimaryCtxRetain");
      retained_ = pointer.device;
    }
    const int code = cuda.push(context);
    if (code != 0) release();
    cuda.check(code, "cuCtxPushCurrent");
  }
  ~CurrentContext() {
    CudaContext popped = nullptr;
    cuda_.pop(&popped);
    release();
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  static constexpr int kNone = -1;

  void release() {
    if (retained_ != kNone) cuda_.release(retained_);
  }

  const CudaFunctions& cuda_;
  int retained_ = kNone;
};

class Cuda final : public Device {
 public:
  explicit Cuda(const CudaFunctions& functions) : cuda_(functions) {}

  bool holds(std::uintptr_t address) const override {
    const CudaPointer pointer = describe_pointer(cuda_, address);
    return pointer.memory == CudaPointer::kDeviceMemory && pointer.is_managed == 0;
  }

  void read(std::span<const DeviceCopy> copies) const override {
    run(copies, "copying from CUDA device memory", [&](const DeviceCopy& copy) {
      return cuda_.read(copy.host, copy.device, copy.bytes, kDefaultStream);
    });
  }

  void write(std::span<const DeviceCopy> copies) const override {
    run(copies, "copying to CUDA device memory", [&](const DeviceCopy& copy) {
      return cuda_.write(copy.device, copy.host, copy.bytes, kDefaultStream);
    });
  }

 private:
  template <class Begin>
  void run(std::span<const DeviceCopy> copies, const char* doing, Begin&& begin) const {
    if (copies.empty()) return;
    const CurrentContext context(cuda_, copies.front().device);
    int code = 0;
    for (const DeviceCopy& copy : copies)
      if (code == 0) code = begin(copy);
    // Copies in flight use our memory, so wait for them even after a failure.
    const int end = cuda_.wait(kDefaultStream);
    cuda_.check(code != 0 ? code : end, doing);
  }

  CudaFunctions cuda_;
};

}  // namespace

const Device* find_cuda() {
  CudaFunctions functions{};
  return functions.find(LoadedLibrary({"libcuda.so.1"})) ? new Cuda(functions) : nullptr;
}

}  // namespace rondo::buffers
