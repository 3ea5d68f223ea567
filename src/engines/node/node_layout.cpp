#include "engines/node/node_layout.hpp"

#include "base/bytes.hpp"
#include "segment/receipts.hpp"
#include "segment/segment.hpp"
#include "segment/ways.hpp"

namespace rondo::engines {

NodeLayout::NodeLayout(const schedule::NodeMap& map, int node, std::size_t slot_bytes) {
  const auto all_ranks = static_cast<std::size_t>(map.ranks());
  const auto ranks = static_cast<std::size_t>(map.size(node));
  const auto largest = static_cast<std::size_t>(map.largest_size());
  const bool has_others = map.nodes() > 1;
  // Offsets in slots and in messages between nodes have 32 bits.
  const std::size_t longest_slot = UINT32_MAX / largest;
  limit = std::min({slot_bytes / all_ranks, longest_slot / all_ranks, kLongestBlock}) /
          kShortestLimit * kShortestLimit;
  slot = round_up(all_ranks * limit, kLineBytes);
  const auto pipe_on = [&](std::size_t ranks_of_node) {
    return ranks_of_node > 1
               ? std::max(limit, std::min(slot_bytes / 2, kPipes) / (ranks_of_node - 1))
               : 0;
  };
  const std::size_t most = pipe_on(ranks);
  // The same on all ranks. A node with one rank has no use for pipes.
  has_pipes = pipe_on(std::max<std::size_t>(largest, 2)) >= registry::kShortestPipe;
  piece = std::max(std::min(most / 2, kLongestPiece) / kLineBytes * kLineBytes, kLineBytes);
  pipe = most / kLineBytes * kLineBytes;
  const std::size_t numbers = (static_cast<std::size_t>(map.nodes()) + 1) * sizeof(std::uint32_t);
  table = has_others ? round_up(numbers, kLineBytes) : 0;
  members = segment::Segment::kCookieBytes;
  times = members + ranks * sizeof(Member);
  cells = times + ranks * sizeof(segment::Times);
  receipts = cells + segment::Arrival::cells(ranks) * sizeof(segment::Cell);
  landed = receipts + segment::Receipts::bytes(ranks);
  offsets = landed + (has_others ? all_ranks * kLineBytes : 0);
  const std::size_t offset_bytes = has_others ? all_ranks * ranks * sizeof(std::uint32_t) : 0;
  areas = round_up(offsets + offset_bytes, kPageBytes);
  pipes = round_up(segment::Arrival::kParities * (table + slot), kPageBytes);
  area = round_up(pipes + (ranks - 1) * pipe, kPageBytes);
  landing = areas + ranks * area;
  region = has_others ? ranks * limit + kLineBytes : 0;
  end = landing + round_up(all_ranks * region, kPageBytes);
}

}  // namespace rondo::engines
