// Log-time rounds with sizes and data in one message: fused_bruck between ranks, and node_aware
// between nodes.
#pragma once

#include "base/status.hpp"
#include "exchange/engines/transit.hpp"

namespace rondo::exchange::engines {

/// Exchange the blocks of those ranks that `travel` leads to, which all call this together;
/// `blocks` is by rank. Every message carries what its sender knows of the status of all
/// ranks, beginning with `status`. Returns that of all.
Status exchange_fused(Call& call, const Blocks& blocks, const Travel& travel, const Status& status,
                      const Transit::Lengths& lengths);

}  // namespace rondo::exchange::engines
