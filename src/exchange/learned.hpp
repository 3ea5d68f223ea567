// What a plan remembers of its executions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::exchange {

/// What a rank of the node contributes to a message: where it begins in its slot.
struct NodeRun {
  std::uint32_t begin;
  std::uint32_t bytes;
};

/// What the others' sizes were in the first execution that succeeded. Every field belongs to one
/// step of the algorithms, which fills it from its beginning while the plan learns and only reads it
/// afterwards. So an execution that leaves steps out, because a rank has failed, does no harm.
struct Learned {
  bool is_complete = false;

  std::size_t largest = 0;  ///< S, where an algorithm begins by agreeing on it
  std::vector<std::size_t>
      arriving;  ///< lengths of the blocks that arrive in Bruck rounds, in order

  // Between nodes: of the messages that this rank sends and of those that it receives, in order, and
  // where the blocks for this rank begin in those that its node receives, by position.
  std::vector<NodeRun> node_runs;
  std::vector<std::uint32_t> node_expected;
  std::vector<std::uint32_t> landing_offsets;
};

}  // namespace rondo::exchange
