// The messages of rounds, between ranks and between nodes.
#include "model/steps.hpp"

#include <algorithm>

namespace rondo::model {

using registry::Handling;
using registry::SecondMessage;
using schedule::NodeSchedule;

Message message_of(const Handling& handling, double blocks) {
  Message message{.header_bytes = handling.header_bytes + blocks * handling.size_bytes};
  if (handling.second == SecondMessage::always) message.room_bytes = -1;
  // The receiver has room for sizes of 8 bytes, which blocks past 4 GiB have.
  if (handling.second == SecondMessage::when_long)
    message.room_bytes = std::max<double>(
        registry::kShortMessageBytes, handling.header_bytes + 2.0 * handling.size_bytes * blocks);
  return message;
}

namespace {

/// The lanes between nodes, seen from the largest node. The blocks of one rank for one node are a run.
class Lanes {
 public:
  Lanes(const NodeSchedule& schedule, const Handling& handling)
      : schedule_(schedule), map_(schedule.map()), handling_(handling) {
    while (map_.size(node_) < map_.largest_size()) ++node_;
  }

  /// Packed from runs. Each leader posts its part of all receives first.
  NodeMessage direct(const schedule::Round& round, int lane, int id) const {
    const int messages = (map_.nodes() - 1) * schedule_.lanes();
    NodeMessage sent = from(lane, id / schedule_.lanes());
    sent.hop = round.hop;
    sent.blocks = 1.0 * runs(lane) * map_.size((node_ + round.hop) % map_.nodes());
    sent.message.header_bytes = kNodeHeaderBytes + kNodeLengthBytes * sent.blocks;
    sent.pieces = runs(lane);
    sent.posted = static_cast<std::size_t>((messages - 1 - id) / map_.size(node_) + 1);
    sent.draw = static_cast<std::uint64_t>(id);
    return sent;
  }

  /// A lane packs all blocks for the other nodes by runs. At the end it copies whole what has arrived.
  NodeMessage packed(int lane) const {
    const double others = map_.nodes() - 1;
    NodeMessage packed = from(lane, 0);
    packed.blocks = others * runs(lane) * map_.size(node_);
    packed.pieces = others * (runs(lane) + handling_.whole_copies);
    packed.times = 1.0 + handling_.whole_copies;
    packed.lane = lane;
    packed.lanes = schedule_.lanes();
    return packed;
  }

  /// The blocks from one node to another are one block here, as long as between nodes of this size.
  NodeMessage in_rounds(const schedule::Round& round, int lane, int id) const {
    const double blocks = round.blocks.size();
    NodeMessage sent = from(lane, 0);
    sent.hop = round.hop;
    sent.message = message_of(handling_, blocks);
    sent.blocks = blocks * runs(lane) * map_.size(node_);
    sent.message.header_bytes += kNodeHeaderBytes * blocks + kNodeLengthBytes * sent.blocks;
    sent.pieces = blocks * handling_.hop_copies;
    sent.times = handling_.hop_copies;
    sent.sizes = 2 * blocks;
    sent.draw = static_cast<std::uint64_t>(id);
    return sent;
  }

 private:
  int runs(int lane) const {
    const auto share = schedule_.share(node_, lane);
    return share.end - share.begin;
  }
  NodeMessage from(int lane, int round) const {
    return {.leader = map_.local_of(schedule_.leader(node_, round, lane))};
  }

  const NodeSchedule& schedule_;
  const schedule::NodeMap& map_;
  const Handling& handling_;
  int node_ = 0;
};

}  // namespace

std::vector<NodeMessage> messages_of(const NodeSchedule& schedule, const Handling& handling,
                                     int phase) {
  const Lanes lanes(schedule, handling);
  const bool is_direct = schedule.how() == schedule::Between::direct;
  const auto rounds = schedule.between().phase(phase);
  int id = static_cast<int>(rounds.data() - schedule.between().rounds().data()) * schedule.lanes();
  std::vector<NodeMessage> messages;
  for (int lane = 0; !is_direct && phase == 0 && lane < schedule.lanes(); ++lane)
    messages.push_back(lanes.packed(lane));
  for (std::size_t i = 0; i < rounds.size(); ++i)
    for (int lane = 0; lane < schedule.lanes(); ++lane, ++id) {
      messages.push_back(is_direct ? lanes.direct(rounds[i], lane, id)
                                   : lanes.in_rounds(rounds[i], lane, id));
      if (!is_direct) messages.back().posted = rounds.size() - i;
    }
  return messages;
}

}  // namespace rondo::model
