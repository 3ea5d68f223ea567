// How the ranks of a node open the segment that they share. No MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "engines/node/node_layout.hpp"
#include "schedule/node_map.hpp"
#include "segment/segment.hpp"
#include "segment/topology.hpp"
#include "transport/agreement.hpp"

namespace rondo::engines {

/// The first rank of the node makes the segment, the others open it, and each reserves its own part. error() is what
/// this rank has found wrong.
class Opening {
 public:
  /// What it is given must live longer.
  Opening(const transport::Tagged& tagged, const schedule::NodeMap& map, const NodeLayout& layout)
      : tagged_(tagged),
        map_(map),
        layout_(layout),
        node_(map.node_of(tagged.rank())),
        self_(map.local_of(tagged.rank())) {}

  /// Collective over the node.
  segment::Segment open(segment::Segment::Kind kind);

  const std::optional<Error>& error() const { return error_; }

  /// Runs `body`, unless there was an error before, and keeps its error.
  template <class Body>
  void attempt(Body&& body) {
    if (!error_) error_ = failure_of(body);
  }

  // All ranks of the node must have opened the segment.

  /// Returns how many cores the ranks of the node may use together.
  int cores(const segment::Segment& segment) const;

  /// What a rank finds out about the ranks of its node.
  struct Neighbours {
    std::vector<int> order{};                    ///< in which it serves them
    std::vector<segment::Distance> distances{};  ///< by rank of the node
    std::vector<std::int64_t> processes{};  ///< likewise; none unless it can read the memory of all
  };

  /// Returns what this rank finds. It tries to read their memory only if it `would_read` it later. None may end this
  /// object before all have done this.
  Neighbours neighbours(const segment::Segment& segment, bool would_read) const;

 private:
  using Member = NodeLayout::Member;

  int ranks() const { return map_.size(node_); }
  Member* members_in(const segment::Segment& segment) const {
    return reinterpret_cast<Member*>(segment.at(layout_.members));
  }
  std::span<const Member> members(const segment::Segment& segment) const {
    return {members_in(segment), static_cast<std::size_t>(ranks())};
  }
  std::vector<std::int64_t> readable_processes(const segment::Segment& segment) const;
  void distribute(segment::Ticket& ticket) const;
  void reserve_own_part(segment::Segment& segment) const;
  void map_own_part(const segment::Segment& segment) const;

  const transport::Tagged& tagged_;
  const schedule::NodeMap& map_;
  const NodeLayout& layout_;
  int node_;
  int self_;
  std::uint64_t sampled_ = 0;  ///< what neighbours try to read
  std::optional<Error> error_;
};

}  // namespace rondo::engines
