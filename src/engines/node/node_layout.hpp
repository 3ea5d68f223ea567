// The parts of a node's segment, which is the shared memory of one communicator on one node.
//
// With q ranks on the node, P ranks in all, N nodes, and
//   limit = the longest block, in bytes, that goes through the segment: the least of
//           RONDO_SLOT_BYTES / P, 64 KiB, and 4 GiB / (P x ranks of the largest node), rounded down
//           to a multiple of 16, so that any legal call fits,
//   slot  = P x limit, what a rank can publish at once,
//   pipe = for long blocks to one neighbour, the greater of limit and the lesser of RONDO_SLOT_BYTES / 2 and
//            2 MiB, divided by q - 1; rounded down to cache lines,
// the segment has
//   64 + 896 q + 152 q^2 + 2 q slot + q (q - 1) pipe bytes on one node, and on several nodes also
//   2 q (4 N + 4) + 64 P + 4 q P + P (q limit + 64), the last term being one more slot for each
//   rank.
// Every part is rounded up to cache lines or pages. No memory is added afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "registry/handling.hpp"
#include "schedule/node_map.hpp"
#include "segment/arrival.hpp"
#include "segment/segment.hpp"
#include "segment/topology.hpp"

namespace rondo::engines {

/// The offsets and lengths of the parts of a node's segment.
struct NodeLayout {
  static constexpr std::size_t kLongestBlock = registry::kLongestSharedBlock;

  /// A message between nodes has the length of a long block in place of its bytes.
  static constexpr std::size_t kShortestLimit = 16;

  /// The longest piece of a long block that is copied at a time.
  static constexpr std::size_t kLongestPiece = std::size_t{32} << 10;

  /// What the pipes of a rank have together, if that is not too little for each: twice the second-level cache of
  /// a core of the machine on which it was measured. There two processes that only copy were about the fastest with
  /// it, of 0.5, 1, 2, 3 and 4 MiB.
  static constexpr std::size_t kPipes = std::size_t{2} << 20;

  // Where pages or cache lines are longer, as on some Arm and Power processors, two ranks may share one. That costs
  // time and is otherwise the same.
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kLineBytes = 64;

  /// What a rank tells its neighbours.
  struct alignas(kLineBytes) Member {
    segment::CoreSet cores;  ///< that it may use
    segment::Place place;
    int quota;  ///< of the node's cores
    segment::Sample sample;
  };
  static_assert(sizeof(Member) == 3 * kLineBytes);

  NodeLayout(const schedule::NodeMap& map, int node, std::size_t slot_bytes);

  /// Returns the offset of a rank's slot for one parity.
  std::size_t slot_of(std::size_t local, std::size_t parity) const {
    return areas + local * area + segment::Arrival::kParities * table + parity * slot;
  }

  /// Returns how many bytes of a slot are mapped before its first use. After a shorter slot the segment may end.
  std::size_t mapped_of_slot() const { return std::min(slot, kPageBytes); }

  std::size_t limit;     ///< length of the longest block
  std::size_t slot;      ///< length of a slot: P x limit
  std::size_t piece;     ///< length of a piece of a long block
  std::size_t pipe;      ///< length of what pieces to one neighbour go through
  bool has_pipes;        ///< whether those of all nodes are long enough to be of use
  std::size_t table;     ///< length of a rank's table, for one parity
  std::size_t members;   ///< offset of a Member for each rank
  std::size_t times;     ///< offset of the times of each rank's copies
  std::size_t cells;     ///< offset of the cells between the ranks of the node, two for each pair
  std::size_t receipts;  ///< offset of the receipts for long blocks, one for each pair
  std::size_t landed;    ///< offset of the flags of messages from other nodes, one for each rank
  std::size_t offsets;   ///< offset of P x q offsets of blocks in messages from other nodes
  std::size_t areas;     ///< offset of the ranks' areas: two tables, two slots, and pipes
  std::size_t area;      ///< length of a rank's area
  std::size_t pipes;     ///< offset in it of the pipes
  std::size_t landing;   ///< offset of the landing area
  std::size_t region;    ///< length in it for the blocks of one rank of another node
  std::size_t end;
};

}  // namespace rondo::engines
