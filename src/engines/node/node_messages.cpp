#include "engines/node/node_messages.hpp"

#include "engines/bruck/fused_rounds.hpp"
#include "engines/node/preceded.hpp"

namespace rondo::engines {

using schedule::Between;

NodeMessages::NodeMessages(Call& call, const Status& status)
    : call_(call),
      context_(call.context),
      schedule_(context_.node_schedule(call.choice)),
      map_(context_.nodes),
      node_(*context_.node()),
      own_(map_.node_of(context_.rank)),
      status_(status) {}

void NodeMessages::start() {
  if (schedule_.how() == Between::direct) {
    post_receives();
    return send();
  }
  for (int lane = 0; lane < schedule_.lanes(); ++lane)
    if (schedule_.leader(own_, 0, lane) == context_.rank) run_rounds(lane);
}

Status NodeMessages::finish() {
  if (schedule_.how() == Between::direct) receive_all();
  for_each_landing([&](int node, int lane) {
    node_.wait_for_landing(landing_position(node, lane));
    status_.merge(header(node, lane)->status);
  });
  return status_;
}

const NodeHeader& NodeMessages::header_of(int position) const {
  const int node = map_.node_of(map_.rank_at(position));
  int lane = schedule_.lanes() - 1;
  while (landing_position(node, lane) > position) --lane;
  return *header(node, lane);
}

const std::byte* NodeMessages::arrived(int position) const {
  const auto index = static_cast<std::size_t>(position);
  std::uint32_t offset = 0;
  if (call_.sizes_known()) {
    offset = call_.learned->landing_offsets[index];
  } else {
    offset = node_.landing_offsets(position)[node_.self()];
    if (call_.is_learning()) {
      call_.learned->landing_offsets.resize(static_cast<std::size_t>(context_.ranks));
      call_.learned->landing_offsets[index] = offset;
    }
  }
  return blocks_of(header_of(position)) + offset;
}

/// Calls visit(message) for every message that this rank sends to (direction = 1) or receives from
/// (-1) another node.
template <class Visit>
void NodeMessages::for_each_own(int direction, Visit&& visit) const {
  const auto& rounds = schedule_.between().rounds();
  const int nodes = map_.nodes();
  for (int round = 0; round < static_cast<int>(rounds.size()); ++round)
    for (int lane = 0; lane < schedule_.lanes(); ++lane) {
      if (schedule_.leader(own_, round, lane) != context_.rank) continue;
      const int hop = rounds[static_cast<std::size_t>(round)].hop;
      visit(Message{round, lane, (own_ + direction * hop + nodes) % nodes});
    }
}

/// Calls visit(node, lane) for every message that lands on this node.
template <class Visit>
void NodeMessages::for_each_landing(Visit&& visit) const {
  for (int distance = 1; distance < map_.nodes(); ++distance)
    for (int lane = 0; lane < schedule_.lanes(); ++lane)
      visit((own_ + map_.nodes() - distance) % map_.nodes(), lane);
}

int NodeMessages::landing_position(int node, int lane) const {
  return map_.first(node) + schedule_.share(node, lane).begin;
}

NodeHeader* NodeMessages::header(int node, int lane) const {
  return reinterpret_cast<NodeHeader*>(node_.landing(landing_position(node, lane)));
}

int NodeMessages::leader(const Message& message) const {
  return schedule_.leader(message.node, message.round, message.lane);
}

std::size_t NodeMessages::landing_bytes(const Message& message) const {
  const auto share = schedule_.share(message.node, message.lane);
  return node_.landing_bytes(share.end - share.begin);
}

template <class ForEach, class Ready>
void NodeMessages::pack_all(ForEach&& for_each, Ready&& ready) const {
  const auto share = [&](const Message& message) { return schedule_.share(own_, message.lane); };
  const auto count = [&](const Message& message) {
    return share(message).end - share(message).begin;
  };
  const auto run = [&](const Message& message, std::size_t i) {
    return node_.run(share(message).begin + static_cast<int>(i), message.node);
  };
  const auto most = static_cast<std::size_t>(map_.nodes() * schedule_.lanes() * node_.ranks());
  pack_messages(context_, status_, most, for_each, count, run, ready);
}

/// Writes where in a message each block is.
void NodeMessages::find_blocks(const Message& message) const {
  const std::byte* const blocks = blocks_of(*header(message.node, message.lane));
  const auto share = schedule_.share(message.node, message.lane);
  const std::byte* at = blocks;
  for (int local = share.begin; local < share.end; ++local) {
    std::uint32_t* const offsets = node_.landing_offsets(map_.first(message.node) + local);
    for (int reader = 0; reader < node_.ranks(); ++reader) {
      offsets[reader] = static_cast<std::uint32_t>(at - blocks);
      at = read_preceded(at).end();
    }
  }
}

/// Announces to the node a message that has landed, with what this rank knows of the status of all.
void NodeMessages::announce(const Message& message) {
  NodeHeader& landed = *header(message.node, message.lane);
  if (!status_.has_failure() && !landed.status.has_failure() && !call_.sizes_known())
    find_blocks(message);
  landed.status.merge(status_);
  node_.announce_landing(landing_position(message.node, message.lane));
}

/// The length of a message is the one in its header, not the one that its receivers expect.
void NodeMessages::post_receives() {
  for_each_own(-1, [&](const Message& message) {
    context_.early.receive_first(node_.landing(landing_position(message.node, message.lane)),
                                 landing_bytes(message), leader(message), context_.tag(0));
  });
}

void NodeMessages::send() {
  const auto own_messages = [&](auto&& visit) { for_each_own(1, visit); };
  pack_all(own_messages, [&](const Message& message, const std::byte* data, std::size_t bytes) {
    context_.messages.send(data, bytes, leader(message), context_.tag(0));
  });
}

void NodeMessages::receive_all() {
  std::size_t number = 0;
  for_each_own(-1, [&](const Message& message) {
    context_.early.wait_for_receives(number++, 1);
    NodeHeader* const landed = header(message.node, message.lane);
    context_.early.receive_rest(reinterpret_cast<std::byte*>(landed), message_bytes(*landed),
                                leader(message), context_.tag(0));
    announce(message);
  });
  context_.early.wait();
}

/// The leaders of a lane exchange as in fused_bruck; a block is what goes from one node to another.
void NodeMessages::run_rounds(int lane) {
  const auto ranks = static_cast<std::size_t>(context_.ranks);
  const auto send = context_.scratch.array<ConstBlock>(Scratch::kNodeSend, ranks);
  const auto receive = context_.scratch.array<Block>(Scratch::kNodeReceive, ranks);
  const auto leaders =
      context_.scratch.array<int>(Scratch::kNodeLeaders, static_cast<std::size_t>(map_.nodes()));
  for (int node = 0; node < map_.nodes(); ++node)
    leaders[static_cast<std::size_t>(node)] = leader({.round = 0, .lane = lane, .node = node});
  send[static_cast<std::size_t>(context_.rank)] = {};
  receive[static_cast<std::size_t>(context_.rank)] = {};
  const auto others = [&](auto&& visit) {
    for (int distance = 1; distance < map_.nodes(); ++distance)
      visit(Message{.round = 0, .lane = lane, .node = (own_ + distance) % map_.nodes()});
  };
  pack_all(others, [&](const Message& message, const std::byte* data, std::size_t bytes) {
    const auto rank = static_cast<std::size_t>(leader(message));
    send[rank] = {data, bytes};
    receive[rank] = {node_.landing(landing_position(message.node, lane)), landing_bytes(message)};
  });
  const Travel travel(schedule_.between(), own_, leaders, Travel::Direction::upward);
  const Blocks blocks{.send = send, .receive = receive};
  Transit transit(call_, blocks, travel, {});
  status_ = exchange_fused(call_, transit, status_);
  others([&](const Message& message) { announce(message); });
}

}  // namespace rondo::engines
