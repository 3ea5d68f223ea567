// Memory of every rank of a communicator, mapped into every other one.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace rondo::gpu {

/// As much memory on every rank's device, full of zeros, and where each rank's lies here. Unmapping and freeing
/// are collective.
class Peers {
 public:
  virtual ~Peers() = default;
  const std::vector<std::byte*>& bases() const { return bases_; }

 protected:
  std::vector<std::byte*> bases_;
};

/// Collective. Through a symmetric window where this NCCL has them (2.29 or newer) and they reach all ranks,
/// else by CUDA's handles between processes. Throws Failure, on all ranks, if some rank cannot reach another's memory.
std::unique_ptr<Peers> make_peers(ncclComm_t comm, int rank, int ranks, std::size_t bytes);

}  // namespace rondo::gpu
