// Memory of every rank of a communicator, mapped into every other one.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/gather.hpp"

namespace rondo::gpu {

/// As much memory on every rank's device, full of zeros, and where each rank's lies here.
class Peers {
 public:
  virtual ~Peers() = default;
  const std::vector<std::byte*>& bases() const { return bases_; }

 protected:
  std::vector<std::byte*> bases_;
};

struct PeersRequest {
  ncclComm_t comm;
  int rank;
  int ranks;
  std::size_t bytes;
  std::optional<Failure> lacking;  ///< why this rank cannot take part, if so
};

/// Collective, as is what it returns when it ends. Through a symmetric window where this NCCL has
/// them (2.29 or newer) and they reach all ranks, else by CUDA's handles between processes. Throws
/// Failure, on all ranks, if some rank lacks something or cannot reach another's memory. `gatherer`
/// must outlive what is returned.
std::unique_ptr<Peers> make_peers(const PeersRequest& request, const Gatherer& gatherer);

/// Collective. The first of these ways; without bases, on all ranks, where this NCCL has no windows
/// that the host can ask, or where they do not reach all ranks.
std::unique_ptr<Peers> make_window(const PeersRequest& request, const Gatherer& gatherer);

}  // namespace rondo::gpu
