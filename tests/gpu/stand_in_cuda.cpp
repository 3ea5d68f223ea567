// CUDA's run-time library for tests.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "stand_in.hpp"

using Work = std::function<void()>;

struct CUgraph_st {
  std::vector<Work> work;
};
struct CUgraphExec_st {
  std::vector<Work> work;
};
struct CUstream_st {
  CUgraph_st* capturing = nullptr;
};
struct CUevent_st {};

namespace rondo::testing {

namespace {

thread_local Launches g_launches;
thread_local int g_allocations_left = -1;
std::atomic<long> g_held{0};

/// Memory by address.
class Memory {
 public:
  void* allocate(std::size_t bytes) {
    void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(memory, 0x5a, bytes);  // not zero
    const std::lock_guard lock(mutex_);
    sizes_[memory] = bytes;
    ++g_held;
    return memory;
  }

  /// Memory that another process has open stays, which things_held() shows.
  bool release(void* memory) {
    const std::lock_guard lock(mutex_);
    if (open_.contains(memory) || sizes_.erase(memory) == 0) return false;
    --g_held;
    std::free(memory);
    return true;
  }

  void open(void* memory) {
    const std::lock_guard lock(mutex_);
    open_.insert(memory);
    ++g_held;
  }

  bool close(void* memory) {
    const std::lock_guard lock(mutex_);
    const auto opened = open_.find(memory);
    if (opened == open_.end()) return false;
    open_.erase(opened);
    --g_held;
    return true;
  }

  bool holds(const void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto after = sizes_.upper_bound(const_cast<void*>(memory));
    if (after == sizes_.begin()) return false;
    const auto& [begin, size] = *--after;
    const auto offset =
        static_cast<std::size_t>(static_cast<const char*>(memory) - static_cast<char*>(begin));
    return offset + bytes <= size;
  }

 private:
  std::mutex mutex_;
  std::map<void*, std::size_t> sizes_;
  std::multiset<void*> open_;
};

/// Memory that its owner lends.
class LentMemory {
 public:
  void add(const char* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    pieces_.insert({begin, begin + bytes});
  }
  void remove(const char* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    pieces_.erase(pieces_.find({begin, begin + bytes}));
  }
  bool holds(const char* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(pieces_, [&](const auto& piece) {
      return piece.first <= begin && begin + bytes <= piece.second;
    });
  }

 private:
  std::mutex mutex_;
  std::multiset<std::pair<const char*, const char*>> pieces_;
};

Memory g_device;
Memory g_pinned;
LentMemory g_lent;

bool fits(cudaMemcpyKind kind, const void* to, const void* from, std::size_t bytes) {
  const bool from_device = kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDeviceToHost;
  const bool to_device = kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyHostToDevice;
  return is_device(from, bytes) == from_device && is_device(to, bytes) == to_device;
}

}  // namespace

Launches launches() {
  return std::exchange(g_launches, {});
}

void limit_allocations(int number) {
  g_allocations_left = number;
}

long things_held() {
  return g_held;
}
void count_held(long change) {
  g_held += change;
}

void enqueue(cudaStream_t stream, Work work) {
  if (stream != nullptr && stream->capturing != nullptr)
    stream->capturing->work.push_back(std::move(work));
  else
    work();
}

void lend(const void* memory, std::size_t bytes) {
  g_lent.add(static_cast<const char*>(memory), bytes);
}
void take_back(const void* memory, std::size_t bytes) {
  g_lent.remove(static_cast<const char*>(memory), bytes);
}

bool is_device(const void* memory, std::size_t bytes) {
  return g_device.holds(memory, bytes) || g_lent.holds(static_cast<const char*>(memory), bytes);
}

bool is_reachable(const void* memory, std::size_t bytes) {
  return is_device(memory, bytes) || g_pinned.holds(memory, bytes);
}

void count_kernel() {
  ++g_launches.kernels;
}
void count_group() {
  ++g_launches.groups;
}

}  // namespace rondo::testing

using namespace rondo::testing;

namespace {

bool may_allocate() {
  if (g_allocations_left == 0) return false;
  if (g_allocations_left > 0) --g_allocations_left;
  return true;
}

template <class Thing>
cudaError_t make(Thing** thing) {
  *thing = new Thing;
  ++g_held;
  return cudaSuccess;
}
template <class Thing>
cudaError_t destroy(Thing* thing) {
  delete thing;
  --g_held;
  return cudaSuccess;
}

cudaError_t allocate(Memory& kind, void** memory, std::size_t bytes) {
  if (!may_allocate()) return cudaErrorMemoryAllocation;
  *memory = kind.allocate(bytes);
  return cudaSuccess;
}
cudaError_t release(Memory& kind, void* memory) {
  return kind.release(memory) ? cudaSuccess : cudaErrorInvalidValue;
}

/// A captured stream must not be waited for.
cudaError_t waited_for(cudaStream_t stream) {
  return stream != nullptr && stream->capturing != nullptr ? cudaErrorStreamCaptureUnsupported
                                                           : cudaSuccess;
}

}  // namespace

extern "C" {

// Each is one expression. The last ones do nothing or fail.
#define RONDO_RESULT(function, parameters, result) \
  cudaError_t function parameters {                \
    return result;                                 \
  }
RONDO_RESULT(cudaMalloc, (void** memory, size_t bytes), allocate(g_device, memory, bytes))
RONDO_RESULT(cudaFree, (void* memory), release(g_device, memory))
RONDO_RESULT(cudaMallocHost, (void** memory, size_t bytes), allocate(g_pinned, memory, bytes))
RONDO_RESULT(cudaFreeHost, (void* memory), release(g_pinned, memory))
RONDO_RESULT(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned), make(stream))
RONDO_RESULT(cudaStreamDestroy, (cudaStream_t stream), destroy(stream))
RONDO_RESULT(cudaStreamSynchronize, (cudaStream_t stream), waited_for(stream))
RONDO_RESULT(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned), make(event))
RONDO_RESULT(cudaEventDestroy, (cudaEvent_t event), destroy(event))
RONDO_RESULT(cudaEventRecord, (cudaEvent_t, cudaStream_t stream), waited_for(stream))
RONDO_RESULT(cudaGraphDestroy, (cudaGraph_t graph), destroy(graph))
RONDO_RESULT(cudaGraphExecDestroy, (cudaGraphExec_t graph), destroy(graph))
RONDO_RESULT(cudaDeviceSynchronize, (), cudaSuccess)
RONDO_RESULT(cudaEventSynchronize, (cudaEvent_t), cudaSuccess)
RONDO_RESULT(cudaGetLastError, (), cudaSuccess)
RONDO_RESULT(cudaDeviceEnablePeerAccess, (int, unsigned), cudaErrorPeerAccessUnsupported)
#undef RONDO_RESULT

/// The handle is the address.
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  if (own_process() == 0) return cudaErrorNotSupported;
  std::memcpy(handle->reserved, &memory, sizeof memory);
  return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned) {
  if (!may_allocate()) return cudaErrorMemoryAllocation;
  std::memcpy(memory, handle.reserved, sizeof *memory);
  g_device.open(*memory);
  return cudaSuccess;
}
/// It takes each process another time, so that another one that frees its memory too early is seen.
cudaError_t cudaIpcCloseMemHandle(void* memory) {
  std::this_thread::sleep_for(std::chrono::milliseconds(own_process()));
  return g_device.close(memory) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (!fits(kind, to, from, bytes)) return cudaErrorInvalidValue;
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (!fits(kind, to, from, bytes)) return cudaErrorInvalidValue;
  ++g_launches.copies;
  enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch || height == 0 || !fits(kind, to, from, width))
    return cudaErrorInvalidValue;
  ++g_launches.copies;
  enqueue(stream, [=] {
    for (size_t row = 0; row < height; ++row)
      std::memcpy(static_cast<char*>(to) + row * to_pitch,
                  static_cast<const char*>(from) + row * from_pitch, width);
  });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  if (!is_device(memory, bytes)) return cudaErrorInvalidValue;
  enqueue(stream, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  *attributes = {};
  attributes->type = is_device(memory, 1) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = waited_for(stream) == cudaSuccess ? cudaStreamCaptureStatusNone
                                              : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr || stream->capturing != nullptr) return cudaErrorStreamCaptureUnsupported;
  return make(&stream->capturing);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = std::exchange(stream->capturing, nullptr);
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, size_t* nodes) {
  *nodes = graph->work.size();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long) {
  *ready = new CUgraphExec_st{graph->work};
  ++g_held;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  ++g_launches.graphs;
  for (const Work& work : graph->work) enqueue(stream, work);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* devices) {
  *devices = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "no GPU");
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "out of memory" : "an error of the stand-in";
}

}  // extern "C"
