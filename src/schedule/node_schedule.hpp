// Which ranks send which blocks from node to node: one message for each ordered pair of nodes, or
// for each of its lanes.
#pragma once

#include <algorithm>
#include <utility>

#include "schedule/node_map.hpp"
#include "schedule/schedule.hpp"

namespace rondo::schedule {

/// How the messages of the pairs of nodes travel.
enum class Between {
  direct,  ///< straight to their node
  bruck,   ///< together with others, through other nodes, in log-time rounds
};

/// A schedule in absolute ranks, for nodes of any size and any placement of ranks. Between nodes it
/// is the same for all nodes in relative terms: a flat schedule over the nodes, in which a name is
/// the distance from a block's node to its destination's node.
///
/// The blocks from one node to another travel in `lanes`. Lane i takes the blocks of the i-th share
/// of the sending node's ranks. Round k of lane i goes from one rank of each node, its leader, to
/// the leader on another node. With direct messages, rounds do not depend on each other, and
/// leaders are dealt out over all ranks of a node, so that all send and receive at once. With
/// bruck, blocks that arrive in one round leave in a later one, so a lane has the same leader in
/// all rounds.
class NodeSchedule {
 public:
  /// There are `parts` lanes, but no more than the smallest node has ranks. A radix above N acts as
  /// N. Direct messages ignore it.
  NodeSchedule(NodeMap map, Between how, int radix, int parts)
      : map_(std::move(map)),
        how_(how),
        lanes_(std::min(parts, map_.smallest_size())),
        between_(how == Between::direct ? linear(map_.nodes(), map_.nodes())
                                        : bruck(map_.nodes(), radix)) {}

  const NodeMap& map() const { return map_; }
  Between how() const { return how_; }
  int lanes() const { return lanes_; }

  /// The rounds, over nodes.
  const Schedule& between() const { return between_; }

  /// Returns the rank of `node` that sends and receives in a round of a lane.
  int leader(int node, int round, int lane) const {
    if (how_ == Between::bruck) return map_.rank_of(node, share(node, lane).begin);
    return map_.rank_of(node, (round * lanes_ + lane) % map_.size(node));
  }

  /// The local numbers [begin, end) of a node's ranks whose blocks a lane takes.
  struct Share {
    int begin;
    int end;
  };
  Share share(int node, int lane) const {
    return {map_.size(node) * lane / lanes_, map_.size(node) * (lane + 1) / lanes_};
  }

 private:
  NodeMap map_;
  Between how_;
  int lanes_;
  Schedule between_;
};

}  // namespace rondo::schedule
