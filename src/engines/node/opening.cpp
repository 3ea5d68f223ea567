#include "engines/node/opening.hpp"

#include <algorithm>
#include <limits>

#include "segment/arrival.hpp"
#include "segment/segment.hpp"
#include "segment/topology.hpp"

namespace rondo::engines {

using segment::Segment;

Segment Opening::open(Segment::Kind kind) {
  Segment segment;
  if (self_ == 0) attempt([&] { segment = Segment::create(kind, layout_.end); });
  segment::Ticket ticket = segment.ticket();
  distribute(ticket);
  // A ticket without bytes means that the segment could not be made.
  if (ticket.bytes == 0) return segment;
  attempt([&] {
    if (self_ != 0) segment = Segment::open(ticket);
    reserve_own_part(segment);
    map_own_part(segment);
    sampled_ = ticket.cookie + static_cast<std::uint64_t>(self_);
    const segment::CoreSet usable = segment::usable_cores();
    // Ranks outside this communicator need cores too.
    members_in(segment)[self_] = {.cores = usable,
                                  .place = segment::place_here(usable),
                                  .quota = segment::share_of_machine(ranks()),
                                  .sample = segment::sample_of(sampled_)};
  });
  return segment;
}

int Opening::cores(const Segment& segment) const {
  segment::CoreSet all;
  int quota = std::numeric_limits<int>::max();
  for (const Member& one : members(segment)) {
    for (std::size_t word = 0; word < all.bits.size(); ++word)
      all.bits[word] |= one.cores.bits[word];
    quota = std::min(quota, one.quota);
  }
  return std::min(all.count(), quota);
}

Opening::Neighbours Opening::neighbours(const Segment& segment, bool would_read) const {
  std::vector<segment::Place> places;
  for (const Member& one : members(segment)) places.push_back(one.place);
  Neighbours found{.order = segment::order_of(places, self_)};
  const segment::Place& own = places[static_cast<std::size_t>(self_)];
  for (const segment::Place& place : places)
    found.distances.push_back(segment::distance_between(own, place));
  if (would_read) found.processes = readable_processes(segment);
  return found;
}

/// Returns the processes of the node's ranks, or nothing if this rank cannot read the memory of all of them.
std::vector<std::int64_t> Opening::readable_processes(const Segment& segment) const {
  std::vector<std::int64_t> processes;
  for (const Member& one : members(segment)) {
    if (!segment::can_read(one.sample)) return {};
    processes.push_back(one.sample.process);
  }
  return processes;
}

/// In messages, because a communicator for a broadcast would cost more than all the rest. All others wait for it,
/// whatever fails here.
void Opening::distribute(segment::Ticket& ticket) const {
  const auto members = map_.by_position().subspan(static_cast<std::size_t>(map_.first(node_)),
                                                  static_cast<std::size_t>(ranks()));
  transport::broadcast(tagged_, {.self = self_, .count = ranks(), .ranks = members},
                       reinterpret_cast<std::byte*>(&ticket), sizeof ticket);
}

void Opening::reserve_own_part(Segment& segment) const {
  const auto self = static_cast<std::size_t>(self_);
  const auto count = static_cast<std::size_t>(ranks());
  if (self_ == 0) segment.reserve(0, layout_.areas);
  // This rank's Member; the first rank may not have reserved it yet.
  segment.reserve(layout_.members + self * sizeof(Member), sizeof(Member));
  segment.reserve(layout_.areas + self * layout_.area, layout_.area);
  const std::size_t landing = layout_.end - layout_.landing;
  const std::size_t begin = landing * self / count;
  const std::size_t end = landing * (self + 1) / count;
  if (begin != end) segment.reserve(layout_.landing + begin, end - begin);
}

/// Maps what short blocks from and to this rank go through, so that it lies near its core.
void Opening::map_own_part(const Segment& segment) const {
  const auto self = static_cast<std::size_t>(self_);
  const auto count = static_cast<std::size_t>(ranks());
  const std::size_t row = count * sizeof(segment::Cell);
  for (std::size_t parity = 0; parity < segment::Arrival::kParities; ++parity) {
    segment.populate(layout_.cells + (parity * count + self) * row, row, true);
    segment.populate(layout_.slot_of(self, parity), layout_.mapped_of_slot(), true);
  }
}

}  // namespace rondo::engines
