// Which ranks exchange blocks with which along the edges of a topology, as one rank sees it. All edges
// from one rank to another make one block.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engines/context.hpp"

namespace rondo::engines {

/// The blocks between this node and others. All lists are in the order of positions, so that both
/// nodes of a pair know in which order the blocks are in their message.
struct NodePattern {
  /// The ranks of one other node that this rank sends to or receives from.
  struct Group {
    int node;
    std::vector<int> ranks;
  };
  std::vector<Group> leaving;   ///< this rank's blocks to other nodes; a group is a run in its slot
  std::vector<Group> arriving;  ///< this rank's blocks from other nodes

  /// What a rank of this node contributes to a message.
  struct Run {
    int local;
    int number;  ///< among the runs of that rank
  };
  /// A message that this rank sends to another node.
  struct Outgoing {
    int receiver;
    std::size_t blocks;
    std::vector<Run> runs;
  };
  std::vector<Outgoing> sends;

  /// A block in a message from another node.
  struct Item {
    int position;  ///< of its source
    int reader;    ///< local number of its destination
  };
  /// A message that this rank receives from another node.
  struct Incoming {
    int node;
    int sender;
    std::vector<Item> blocks;
  };
  std::vector<Incoming> receives;
};

/// A rank with an edge from this rank or to it.
struct Partner {
  int rank;
  std::uint32_t
      bytes;  ///< that the messages between nodes have for it; 0 if they differ between calls
};

class Pattern {
 public:
  /// `to` and `from` are the ranks with edges from and to this rank, other than itself.
  Pattern(const Context& context, std::vector<Partner> to, std::vector<Partner> from);

  /// These ranks, in the order of schedule::straight_step().
  std::span<const int> to() const { return to_; }
  std::span<const int> from() const { return from_; }

  /// Collective at the first call. The ranks of a node tell each other what they exchange with other
  /// nodes, and divide the messages among themselves by their bytes.
  const NodePattern& nodes(Context& context);
  bool has_nodes() const { return nodes_.has_value(); }

 private:
  std::vector<int> to_;
  std::vector<int> from_;
  std::vector<Partner> partners_to_;    ///< until nodes_ is made
  std::vector<Partner> partners_from_;  ///< likewise
  std::optional<NodePattern> nodes_;
};

/// Collective. `to` and `from` are the ranks with which this rank exchanges.
NodePattern make_node_pattern(Context& context, std::span<const Partner> to,
                              std::span<const Partner> from);

}  // namespace rondo::engines
