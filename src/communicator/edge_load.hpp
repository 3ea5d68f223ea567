// What a neighbourhood exchange moves, on which `auto` decides.
#pragma once

#include <cstddef>

#include "buffers/binding.hpp"
#include "communicator/peer_blocks.hpp"
#include "engines/pattern.hpp"
#include "select/decide.hpp"

namespace rondo::communicator {

/// What one rank knows before the ranks agree.
struct OwnEdges {
  const PeerBlocks& peers;
  const buffers::Binding* binding;    ///< null if this rank's arguments are wrong
  const engines::NodePattern* nodes;  ///< null without messages between nodes
};

/// The same on all ranks.
struct AgreedLoad {
  select::EdgeLoad load;
  std::size_t longest;  ///< bytes of the longest block
};

/// Collective.
AgreedLoad load_of_all_ranks(engines::Context& context, const OwnEdges& own);

}  // namespace rondo::communicator
