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
class Gatherer {
 public:
  static constexpr std::size_t kMostBytes = 256;  ///< of what a rank tells

  Gatherer(ncclComm_t comm, int ranks)
      : comm_(comm),
        ranks_(static_cast<std::size_t>(ranks)),
        stream_(make_stream()),
        device_(device_memory(kMostBytes * (ranks_ + 1))),
        host_(pinned_memory(kMostBytes * (ranks_ + 1))) {}

  /// Collective. The `own` of every rank. Waits for its own stream alone.
  template <class Item>
  std::vector<Item> gather(const Item& own) const {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) <= kMostBytes);
    const std::size_t bytes = sizeof(Item) * ranks_;
    std::memcpy(host_.get(), &own, sizeof own);
    check(cudaMemcpyAsync(device_.get(), host_.get(), sizeof own, cudaMemcpyHostToDevice,
                          stream_.get()),
          "cudaMemcpyAsync");
    check(ncclAllGather(device_.get(), device_.get() + kMostBytes, sizeof own, ncclUint8, comm_,
                        stream_.get()),
          "ncclAllGather");
    check(cudaMemcpyAsync(host_.get() + kMostBytes, device_.get() + kMostBytes, bytes,
                          cudaMemcpyDeviceToHost, stream_.get()),
          "cudaMemcpyAsync");
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

  void clear(void* memory, std::size_t bytes) const {
    check(cudaMemsetAsync(memory, 0, bytes, stream_.get()), "cudaMemsetAsync");
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }

 private:
  ncclComm_t comm_;
  std::size_t ranks_;
  Stream stream_;
  DeviceMemory device_;
  PinnedMemory host_;
};

}  // namespace rondo::gpu
