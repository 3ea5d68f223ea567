// CUDA, by its driver library. Every program that has device memory has loaded that, whether it is
// linked to CUDA's run-time library, has it inside, or does without; and the driver, unlike the
// run-time library, tells what a pointer is without setting up a device that the program never uses.
//
// Declared here as far as needed, since cuda.h need not be there: the names of functions whose
// arguments once changed end in _v2, as cuda.h has them.

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
    if (describe(code, &words) != 0 || words == nullptr)
      words = "an error that it has no words for";
    throw Error(ErrorClass::other,
                text(doing, " failed: CUDA says ", words, " (", code,
                     "); see that the buffer is as long as its counts, displacements and types "
                     "say, and that the program's own work on the device succeeded"));
  }
};

struct CudaPointer {
  CudaContext context = nullptr;
  unsigned memory = 0;
  unsigned is_managed = 0;
  int device = 0;

  static constexpr unsigned kDeviceMemory = 2;
};

/// What an address is; what it is not known to be, if it is not CUDA's.
CudaPointer describe_pointer(const CudaFunctions& cuda, std::uintptr_t address) {
  CudaPointer pointer;
  int attributes[] = {1, 2, 8, 9};  // CU_POINTER_ATTRIBUTE_CONTEXT, MEMORY_TYPE, IS_MANAGED,
                                    // DEVICE_ORDINAL
  void* values[] = {&pointer.context, &pointer.memory, &pointer.is_managed, &pointer.device};
  // A failure says that CUDA is not set up: then no pointer is a device's.
  return cuda.pointer_attributes(4, attributes, values, address) == 0 ? pointer : CudaPointer{};
}

/// The context of an address, current while this lives. Memory of pools and mapped memory have none:
/// then it is their device's.
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
    // What has begun uses memory of ours, so it must have ended even after a failure.
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
