// What arrives in a dynamic exchange, in which no rank knows how much the others send to it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/blocks.hpp"

namespace rondo::engines {

/// The receive side of a dynamic exchange. The engine first learns all lengths. Only then is there a
/// place for the blocks.
struct Incoming {
  std::span<std::uint64_t> lengths;  ///< of the blocks, by source; the engine writes them

  /// Returns the places of blocks of these lengths. Called once, if no rank has failed.
  std::function<BlockList<Block>()> place;
};

}  // namespace rondo::engines
