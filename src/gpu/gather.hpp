// What the ranks of a communicator tell each other while a plan is made, over NCCL itself.
#pragma once

#include <vector>

#include "gpu/resources.hpp"

namespace rondo::gpu {

/// Collective. The `own` of every rank. Waits for the device.
template <class Item>
std::vector<Item> gather(ncclComm_t comm, int ranks, const Item& own) {
  static_assert(std::is_trivially_copyable_v<Item>);
  std::vector<Item> all(static_cast<std::size_t>(ranks));
  const Stream stream = make_stream();
  const DeviceMemory memory = device_memory(sizeof(Item) * (all.size() + 1));
  std::byte* const gathered = memory.get() + sizeof(Item);
  check(cudaMemcpyAsync(memory.get(), &own, sizeof own, cudaMemcpyHostToDevice, stream.get()),
        "cudaMemcpyAsync");
  check(ncclAllGather(memory.get(), gathered, sizeof own, ncclUint8, comm, stream.get()),
        "ncclAllGather");
  check(cudaMemcpyAsync(all.data(), gathered, sizeof(Item) * all.size(), cudaMemcpyDeviceToHost,
                        stream.get()),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  return all;
}

}  // namespace rondo::gpu
