// How the ranks of a communicator gather data from each other while a plan is made, over NCCL.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gpu/resources.hpp"

namespace rondo::gpu {

/// Allocates in its constructor and never again. Where ranks are threads that share a GPU, an
/// allocation or a free may wait for all kernels on the GPU, and one of them may wait for this
/// rank.
///
/// To take part, a rank needs a stream and 256 bytes of pinned memory for each rank. Without them
/// it fails alone. It can take part even if the memory of the device is full.
class Gatherer {
 public:
  static constexpr std::size_t kMostBytes = 256;  ///< from each rank

  Gatherer(ncclComm_t comm, int ranks)
      : comm_(comm),
        ranks_(static_cast<std::size_t>(ranks)),
        stream_(make_stream()),
        host_(pinned_memory(kMostBytes * (ranks_ + 1))) {
    failure_in([&] { device_ = device_memory(kMostBytes * (ranks_ + 1)); });
  }

  /// Collective. Returns the `own` of every rank. Waits only for its own stream.
  template <class Item>
  std::vector<Item> gather(const Item& own) const {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) <= kMostBytes);
    const std::size_t bytes = sizeof(Item) * ranks_;
    std::memcpy(host_.get(), &own, sizeof own);
    copy(0, sizeof own, cudaMemcpyHostToDevice);
    std::byte* const memory = device_ ? device_.get() : host_.get();
    check(ncclAllGather(memory, memory + kMostBytes, sizeof own, ncclUint8, comm_, stream_.get()),
          "ncclAllGather");
    copy(kMostBytes, bytes, cudaMemcpyDeviceToHost);
    wait_for(stream_.get());
    std::vector<Item> all(ranks_);
    std::memcpy(all.data(), host_.get() + kMostBytes, bytes);
    return all;
  }

  /// Collective. Whether all ranks have succeeded. No rank may return alone.
  bool all_succeeded(bool has_succeeded) const {
    const auto answers = gather(static_cast<char>(has_succeeded));
    return std::ranges::all_of(answers, [](char answer) { return answer != 0; });
  }

  /// As clear(), but returns whether it succeeded.
  bool try_clear(void* memory, std::size_t bytes) const {
    return !failure_in([&] { clear(memory, bytes); });
  }

  void clear(void* memory, std::size_t bytes) const {
    check(cudaMemsetAsync(memory, 0, bytes, stream_.get()), "cudaMemsetAsync");
    wait_for(stream_.get());
  }

 private:
  void copy(std::size_t offset, std::size_t bytes, cudaMemcpyKind kind) const {
    if (!device_) return;
    std::byte* const device = device_.get() + offset;
    std::byte* const host = host_.get() + offset;
    const bool is_down = kind == cudaMemcpyDeviceToHost;
    copy_async(is_down ? host : device, is_down ? device : host, bytes, stream_.get(), kind);
  }

  ncclComm_t comm_;
  std::size_t ranks_;
  Stream stream_;
  PinnedMemory host_;
  DeviceMemory device_;  ///< null if it cannot be allocated: NCCL reads pinned memory too
};

}  // namespace rondo::gpu
