// Log-time rounds with sizes and data in one message: fused_bruck between ranks, and node_aware
// between nodes.
#pragma once

#include "base/news.hpp"
#include "exchange/engines/transit.hpp"

namespace rondo::exchange::engines {

/// Exchange the blocks of those ranks that `travel` leads to, which all call this together;
/// `blocks` is by rank. Every message carries the news that its sender has heard, beginning with
/// `news`; returns those of all.
News exchange_fused(Call& call, const Blocks& blocks, const Travel& travel, const News& news,
                    const Transit::Lengths& lengths);

}  // namespace rondo::exchange::engines
