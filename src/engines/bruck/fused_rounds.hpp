// Log-time rounds with sizes and data in one message: for fused_bruck between ranks and for
// node_aware between nodes.
#pragma once

#include "base/status.hpp"
#include "engines/bruck/transit.hpp"

namespace rondo::engines {

/// Exchanges the blocks of the ranks that the travel of `transit` leads to. All of them call this
/// together. Every message contains what its sender knows of the status of all ranks, beginning with
/// `status`. Returns the status of all ranks.
Status exchange_fused(Call& call, Transit& transit, const Status& status);

}  // namespace rondo::engines
