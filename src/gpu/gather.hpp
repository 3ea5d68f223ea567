// What the ranks of a communicator tell each other while a plan is made, over NCCL itself.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gpu/resources.hpp"

namespace rondo::gpu {

/// Allocates when it is made and never again: where ranks are threads that share a GPU, one that
/// allocates or frees may wait for all kernels on it, and so for one that waits for this rank.
///
/// To tell the others anything a rank needs a stream and 256 bytes of pinned memory for each rank;
/// without them it leaves alone. A device whose memory is full is no obstacle.
class Gatherer {
 public:
  static constexpr std::size_t kMostBytes = 256;  ///< of what a rank tells

  Gatherer(ncclComm_t comm, int ranks)
      : comm_(comm),
        ranks_(static_cast<std::size_t>(ranks)),
        stream_(make_stream()),
        host_(pinned_memory(kMostBytes * (ranks_ + 1))) {
    failure_in([&] { device_ = device_memory(kMostBytes * (ranks_ + 1)); });
  }

  /// Collective. The `own` of every rank. Waits for its own stream alone.
  template <class Item>
  std::vector<Item> gather(const Item& own) const {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) <= kMostBytes);
    const std::size_t bytes = sizeof(Item) * ranks_;
    std::memcpy(host_.get(), &own, sizeof own);
    copy(0, sizeof own, cudaMemcpyHostToDevice);
    std::byte* const shown = device_ ? device_.get() : host_.get();  // to NCCL
    check(ncclAllGather(shown, shown + kMostBytes, sizeof own, ncclUint8, comm_, stream_.get()),
          "ncclAllGather");
    copy(kMostBytes, bytes, cudaMemcpyDeviceToHost);
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    std::vector<Item> all(ranks_);
    std::memcpy(all.data(), host_.get() + kMostBytes, bytes);
    return all;
  }

  /// Collective. Whether all ranks can go on: none must turn back alone.
  bool all_can(bool can) const {
    const auto answers = gather(static_cast<char>(can));
    return std::ranges::all_of(answers, [](char answer) { return answer != 0; });
  }

  bool has_cleared(void* memory, std::size_t bytes) const {
    return !failure_in([&] { clear(memory, bytes); });
  }

  void clear(void* memory, std::size_t bytes) const {
    check(cudaMemsetAsync(memory, 0, bytes, stream_.get()), "cudaMemsetAsync");
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }

 private:
  void copy(std::size_t offset, std::size_t bytes, cudaMemcpyKind kind) const {
    if (!device_) return;
    std::byte* const device = device_.get() + offset;
    std::byte* const host = host_.get() + offset;
    const bool is_down = kind == cudaMemcpyDeviceToHost;
    check(cudaMemcpyAsync(is_down ? host : device, is_down ? device : host, bytes, kind,
                          stream_.get()),
          "cudaMemcpyAsync");
  }

  ncclComm_t comm_;
  std::size_t ranks_;
  Stream stream_;
  PinnedMemory host_;
  DeviceMemory device_;  ///< null where there is none to be had: NCCL reads pinned memory too
};

}  // namespace rondo::gpu
