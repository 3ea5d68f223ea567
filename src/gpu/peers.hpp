// Memory of every rank of a communicator, mapped into every other rank.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/gather.hpp"

namespace rondo::gpu {

/// The same amount of zeroed memory on every rank's device, and where each rank's memory is mapped
/// here.
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
  std::optional<Failure> failure;  ///< why this rank cannot take part, if it cannot
};

/// Collective, and so is the destructor of what it returns. Uses a symmetric window if this NCCL
/// has any (2.29 or newer) that reach all ranks, else CUDA's handles between processes. Throws
/// Failure on all ranks if a rank has a failure or cannot reach another rank's memory. `gatherer`
/// must outlive the result.
std::unique_ptr<Peers> make_peers(const PeersRequest& request, const Gatherer& gatherer);

/// Collective. Makes a symmetric window. The result has no bases, on all ranks, if this NCCL does
/// not tell the host where it is mapped, or if it does not reach all ranks.
std::unique_ptr<Peers> make_window(const PeersRequest& request, const Gatherer& gatherer);

}  // namespace rondo::gpu
