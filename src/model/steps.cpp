#include "model/steps.hpp"

#include <algorithm>

namespace rondo::model {

namespace {

using registry::Handling;
using registry::SecondMessage;
using schedule::NodeSchedule;

/// The lanes between nodes, seen from the largest node. What a rank has for a node is one run.
class Lanes {
 public:
  Lanes(const NodeSchedule& schedule, const Handling& handling)
      : schedule_(schedule), map_(schedule.map()), handling_(handling) {
    while (map_.size(node_) < map_.largest_size()) ++node_;
  }

  int size() const { return map_.size(node_); }
  int runs(int lane) const {
    const auto share = schedule_.share(node_, lane);
    return share.end - share.begin;
  }
  int leader(int round, int lane) const {
    return map_.local_of(schedule_.leader(node_, round, lane));
  }

  /// Packed from runs. Each leader posts its part of all `messages` receives first.
  NodeMessage direct(const schedule::Round& round, int lane, int id, int messages) const {
    return {.leader = leader(id / schedule_.lanes(), lane),
            .hop = round.hop,
            .message = {.header_bytes = static_cast<double>(handling_.header_bytes)},
            .blocks = 1.0 * runs(lane) * map_.size((node_ + round.hop) % map_.nodes()),
            .pieces = static_cast<double>(runs(lane)),
            .times = 1,
            .sizes = 0,
            .posted = static_cast<std::size_t>((messages - 1 - id) / size() + 1),
            .draw = static_cast<std::uint64_t>(id)};
  }

  /// All that a lane has for the other nodes is packed by runs. What arrives at the end is copied whole.
  NodeMessage packed(int lane) const {
    const double others = map_.nodes() - 1;
    return {.leader = leader(0, lane),
            .hop = 0,
            .message = {},
            .blocks = others * runs(lane) * size(),
            .pieces = others * (runs(lane) + handling_.whole_copies),
            .times = 1.0 + handling_.whole_copies,
            .sizes = 0,
            .posted = 0,
            .draw = kPackedDraw,
            .lane = lane,
            .lanes = schedule_.lanes()};
  }

  /// What goes from node to node is one block, as long as between nodes of this size.
  NodeMessage in_rounds(const schedule::Round& round, int lane, int id, std::size_t posted) const {
    const double blocks = round.blocks.size();
    return {.leader = leader(0, lane),
            .hop = round.hop,
            .message = message_of(handling_, blocks),
            .blocks = blocks * runs(lane) * size(),
            .pieces = blocks * handling_.hop_copies,
            .times = static_cast<double>(handling_.hop_copies),
            .sizes = 2 * blocks,
            .posted = posted,
            .draw = static_cast<std::uint64_t>(id)};
  }

 private:
  const NodeSchedule& schedule_;
  const schedule::NodeMap& map_;
  const Handling& handling_;
  int node_ = 0;
};

}  // namespace

Message message_of(const Handling& handling, double blocks) {
  Message message{.header_bytes = handling.header_bytes + blocks * handling.size_bytes};
  if (handling.second == SecondMessage::always) message.room_bytes = -1;
  // The receiver has room for sizes of 8 bytes, which blocks past 4 GiB have.
  if (handling.second == SecondMessage::when_long)
    message.room_bytes = std::max<double>(
        registry::kShortMessageBytes, handling.header_bytes + 2.0 * handling.size_bytes * blocks);
  return message;
}

std::vector<NodeMessage> messages_of(const NodeSchedule& schedule, const Handling& handling,
                                     int phase) {
  const Lanes lanes(schedule, handling);
  const bool is_direct = schedule.how() == schedule::Between::direct;
  const auto rounds = schedule.between().phase(phase);
  const auto first = static_cast<int>(rounds.data() - schedule.between().rounds().data());
  const int count = static_cast<int>(rounds.size()) * schedule.lanes();
  std::vector<NodeMessage> messages;
  for (int lane = 0; !is_direct && phase == 0 && lane < schedule.lanes(); ++lane)
    messages.push_back(lanes.packed(lane));
  int id = first * schedule.lanes();
  for (std::size_t i = 0; i < rounds.size(); ++i)
    for (int lane = 0; lane < schedule.lanes(); ++lane, ++id)
      messages.push_back(is_direct ? lanes.direct(rounds[i], lane, id, count)
                                   : lanes.in_rounds(rounds[i], lane, id, rounds.size() - i));
  return messages;
}

}  // namespace rondo::model
