// Owners of CUDA's objects.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "gpu/failure.hpp"

namespace rondo::gpu {

template <auto end>
struct EndedBy {
  void operator()(auto* object) const { end(object); }
};

using DeviceMemory = std::unique_ptr<std::byte, EndedBy<cudaFree>>;
using PinnedMemory = std::unique_ptr<std::byte, EndedBy<cudaFreeHost>>;
using Stream = std::unique_ptr<CUstream_st, EndedBy<cudaStreamDestroy>>;
using Event = std::unique_ptr<CUevent_st, EndedBy<cudaEventDestroy>>;
using Graph = std::unique_ptr<CUgraph_st, EndedBy<cudaGraphDestroy>>;
using GraphExec = std::unique_ptr<CUgraphExec_st, EndedBy<cudaGraphExecDestroy>>;

/// Allocates memory on the current device. Returns null for 0 bytes.
inline DeviceMemory device_memory(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes != 0) check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return DeviceMemory(static_cast<std::byte*>(memory));
}

/// Allocates host memory that the device can read and write. Returns null for 0 bytes.
inline PinnedMemory pinned_memory(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes != 0) check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return PinnedMemory(static_cast<std::byte*>(memory));
}

inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return Stream(stream);
}

inline Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  return Event(event);
}

/// Copies `items` to the current device. Returns null if there are none.
template <class Item>
DeviceMemory on_device(std::span<const Item> items) {
  DeviceMemory memory = device_memory(items.size_bytes());
  if (!items.empty())
    check(cudaMemcpy(memory.get(), items.data(), items.size_bytes(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  return memory;
}

/// Whether the stream is being captured into a graph.
inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

/// Captures the work that `body` puts into the stream. Ends the capture even if `body` throws.
template <class Body>
Graph capture(cudaStream_t stream, Body&& body) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t captured = nullptr;
  try {
    body();
  } catch (...) {
    cudaStreamEndCapture(stream, &captured);
    const Graph broken(captured);
    throw;
  }
  check(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture");
  return Graph(captured);
}

inline GraphExec instantiate(const Graph& graph) {
  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph.get(), 0), "cudaGraphInstantiate");
  return GraphExec(ready);
}

inline std::size_t nodes_of(const Graph& graph) {
  std::size_t nodes = 0;
  check(cudaGraphGetNodes(graph.get(), nullptr, &nodes), "cudaGraphGetNodes");
  return nodes;
}

/// Copies in stream order, from one place on the device to another or as `kind` says.
inline void copy_async(std::byte* to, const std::byte* from, std::size_t bytes, cudaStream_t stream,
                       cudaMemcpyKind kind = cudaMemcpyDeviceToDevice) {
  if (bytes != 0) check(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
}

inline void wait_for(cudaStream_t stream) {
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

}  // namespace rondo::gpu
