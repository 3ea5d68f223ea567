#include "gpu/steps.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace rondo::gpu {

namespace {

struct Place {
  Area area;
  std::uint32_t index;
};

std::uint32_t index(int rank) {
  return static_cast<std::uint32_t>(rank);
}

/// Follows all blocks at this rank, by name.
class Follower {
 public:
  Follower(const schedule::Schedule& schedule, int rank)
      : group_(schedule.group()), rank_(rank), places_(static_cast<std::size_t>(group_.ranks())) {
    for (int name = 0; name < group_.ranks(); ++name)
      place(name) = {Area::send, index(group_.add(rank, name))};
    copy(0, {Area::receive, index(rank)});
  }

  void send(const schedule::Round& round) {
    const auto blocks = static_cast<std::uint32_t>(round.blocks.size());
    if (blocks == 0) return;
    messages_.push_back({.to = group_.add(rank_, round.hop),
                         .from = group_.subtract(rank_, round.hop),
                         .outgoing = outgoing_,
                         .incoming = steps_.incoming_blocks,
                         .blocks = blocks});
    round.blocks.for_each([&](int name) {
      copy(name, {Area::outgoing, outgoing_++});
      place(name) = {Area::incoming, steps_.incoming_blocks++};
    });
  }

  /// Unpacks the blocks that have reached their destination in the rounds of the phase before.
  void unpack(std::span<const schedule::Round> rounds) {
    for (const schedule::Round& round : rounds)
      round.blocks.for_each([&](int name) {
        if (round.is_last_hop(name))
          copy(name, {Area::receive, index(group_.subtract(rank_, name))});
      });
  }

  void end_phase() {
    steps_.outgoing_blocks = std::max(steps_.outgoing_blocks, outgoing_);
    outgoing_ = 0;
    steps_.phases.push_back({std::move(copies_), std::move(messages_)});
    copies_.clear();
    messages_.clear();
  }

  Steps take() { return std::move(steps_); }

 private:
  Place& place(int name) { return places_[static_cast<std::size_t>(name)]; }
  void copy(int name, const Place& to) {
    const Place& from = place(name);
    copies_.push_back({from.index, to.index, from.area, to.area});
  }

  schedule::Group group_;
  int rank_;
  std::vector<Place> places_;
  std::vector<Copy> copies_;
  std::vector<Message> messages_;
  std::uint32_t outgoing_ = 0;
  Steps steps_;
};

}  // namespace

Steps steps_of(const schedule::Schedule& schedule, int rank) {
  Follower follower(schedule, rank);
  std::span<const schedule::Round> arrived;
  for (int phase = 0; phase < schedule.phases(); ++phase) {
    const auto rounds = schedule.phase(phase);
    follower.unpack(arrived);
    for (const schedule::Round& round : rounds) follower.send(round);
    follower.end_phase();
    arrived = rounds;
  }
  follower.unpack(arrived);
  follower.end_phase();
  return follower.take();
}

}  // namespace rondo::gpu
