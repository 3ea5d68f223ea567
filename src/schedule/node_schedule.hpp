// Which rank carries which blocks from node to node: one message for each ordered pair of nodes,
// or for each lane of it.
#pragma once

#include "schedule/node_map.hpp"
#include "schedule/schedule.hpp"

namespace rondo::schedule {

/// How the messages of the pairs of nodes travel.
enum class Between {
  direct,  ///< straight to their node
  bruck,   ///< in company with others, over nodes in between, in log-time rounds
};

/// Absolute, as far as ranks go: sizes of nodes and placement of ranks are what they are. What
/// travels between nodes is the same for all nodes in relative terms, a flat schedule whose places
/// are the nodes: a name is the distance from a block's node to its destination's.
///
/// The blocks from one node to another travel in `lanes`: lane i takes those of the i-th share of
/// the sending node's ranks. Round k of lane i moves from one rank of each node, its leader there,
/// to the leader on another node. Directly, rounds need nothing of each other, and leaders are
/// dealt out over all ranks of a node, so that all send and receive at once. With bruck, what
/// arrives in one round leaves in a later one, so a lane has the same leader in all of its rounds.
class NodeSchedule {
 public:
  /// `parts` lanes, but no more than the smallest node has ranks. A radix above N acts as N, and
  /// means nothing where messages travel directly.
  NodeSchedule(NodeMap map, Between how, int radix, int parts);

  const NodeMap& map() const { return map_; }
  Between how() const { return how_; }
  int lanes() const { return lanes_; }

  /// The rounds, over nodes.
  const Schedule& between() const { return between_; }

  /// The rank of `node` that sends and receives in a round of a lane.
  int leader(int node, int round, int lane) const {
    if (how_ == Between::bruck) return map_.rank_of(node, share(node, lane).begin);
    return map_.rank_of(node, (round * lanes_ + lane) % map_.size(node));
  }

  /// The local numbers [begin, end) of the ranks of `node` whose blocks a lane takes.
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
