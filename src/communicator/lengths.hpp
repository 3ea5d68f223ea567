// What ranks tell each other of the lengths of their blocks: compared, since they would otherwise notice a difference
// only by hanging; and the longest or, along edges, what the exchange moves, on which `auto` decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "buffers/binding.hpp"
#include "communicator/peer_blocks.hpp"
#include "engines/context.hpp"
#include "engines/mismatch.hpp"
#include "engines/pattern.hpp"
#include "select/decide.hpp"

namespace rondo::communicator {

/// Collective. As transport::fail_together(); then compares all send and receive lengths. If any two
/// differ, all ranks throw Error(truncate), which names the pair with the lowest receiver.
void compare_lengths(engines::Context& context, std::optional<Error> failure,
                     const buffers::Binding& binding);

/// The same along edges.
void compare_edge_lengths(engines::Context& context, const PeerBlocks& blocks,
                          std::optional<Error> failure, const buffers::Binding& binding);

/// Collective. If any rank has found a mismatch, all ranks throw Error(truncate), which names the pair
/// with the lowest receiver.
void throw_lowest_mismatch(const engines::Context& context,
                           const std::optional<engines::Lengths>& own);

/// Collective. Returns the length of the longest block that any rank sends.
std::size_t longest_of_any_rank(const engines::Context& context, const buffers::Binding& binding);

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
