// Bruck over NCCL as it was published.
#pragma once

#include <memory>

#include "gpu/exchange.hpp"

namespace rondo::gpu {

/// Which way blocks travel, and so where they lie meanwhile.
enum class Way {
  upward,    ///< by name in a buffer of their own, rotated back in the end
  downward,  ///< in the receive buffer, where they must end
};

/// A copy for every block, before the rounds, in every round and, upward, after them; a group for
/// every round. Launches: P + 2 D + K, and P more upward.
std::unique_ptr<Exchange> make_published_bruck(const Setup& setup, Way way);

}  // namespace rondo::gpu
