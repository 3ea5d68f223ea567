// Memory of all ranks as a symmetric window of NCCL.
#pragma once

#include <memory>

#include "gpu/gather.hpp"
#include "gpu/peers.hpp"

namespace rondo::gpu {

/// Collective. Without bases, on all ranks, where this NCCL has no windows that the host can ask, or
/// where they do not reach all ranks.
std::unique_ptr<Peers> make_window(const PeersRequest& request, const Gatherer& gatherer);

}  // namespace rondo::gpu
