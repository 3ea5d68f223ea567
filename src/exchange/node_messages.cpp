#include "exchange/node_messages.hpp"

#include <algorithm>
#include <cstring>

#include "exchange/alltoallv/fused.hpp"
#include "exchange/mpi_error.hpp"

namespace rondo::exchange {

using schedule::Between;

NodeMessages::NodeMessages(Call& call, const News& news)
    : call_(call),
      context_(call.context),
      schedule_(context_.node_schedule(call.choice)),
      map_(context_.nodes),
      node_(*context_.node()),
      own_(map_.node_of(context_.rank)),
      news_(news) {}

void NodeMessages::start() {
  if (schedule_.how() == Between::direct) {
    post_receives();
    return send();
  }
  for (int lane = 0; lane < schedule_.lanes(); ++lane)
    if (schedule_.carrier(own_, 0, lane) == context_.rank) run_rounds(lane);
}

News NodeMessages::finish() {
  if (schedule_.how() == Between::direct) take_in();
  for_each_landing([&](int node, int lane) {
    node_.wait_for_landing(landing_position(node, lane));
    news_.merge(header(node, lane)->news);
  });
  return news_;
}

const std::byte* NodeMessages::landed(int position) const {
  const int node = map_.node_of(map_.rank_at(position));
  int lane = schedule_.lanes() - 1;
  while (landing_position(node, lane) > position) --lane;
  return node_.landing(landing_position(node, lane)) + sizeof(NodeHeader);
}

/// Call visit(message) for every message that this rank sends to (direction = 1) or receives from
/// (-1) another node.
template <class Visit>
void NodeMessages::for_each_carried(int direction, Visit&& visit) const {
  const auto& rounds = schedule_.between().rounds();
  const int nodes = map_.nodes();
  for (int round = 0; round < static_cast<int>(rounds.size()); ++round)
    for (int lane = 0; lane < schedule_.lanes(); ++lane) {
      if (schedule_.carrier(own_, round, lane) != context_.rank) continue;
      const int hop = rounds[static_cast<std::size_t>(round)].hop;
      visit(Message{round, lane, (own_ + direction * hop + nodes) % nodes});
    }
}

/// Call visit(node, lane) for every message that lands on this node.
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

int NodeMessages::carrier(const Message& message) const {
  return schedule_.carrier(message.node, message.round, message.lane);
}

/// How many ranks of this node contribute to a message.
std::size_t NodeMessages::runs_of(const Message& message) const {
  const auto share = schedule_.share(own_, message.lane);
  return news_.has_failure() ? 0 : static_cast<std::size_t>(share.end - share.begin);
}

/// Where in the neighbours' slots the blocks of one message stand, written to `runs`.
std::span<const NodeMessages::Run> NodeMessages::find_runs(const Message& message,
                                                           std::span<Run> runs) {
  const int first = schedule_.share(own_, message.lane).begin;
  const std::size_t count = runs_of(message);
  for (std::size_t i = 0; i < count; ++i) {
    const int local = first + static_cast<int>(i);
    const std::uint32_t* const offsets = node_.offsets_of(local);
    const auto begin = call_.known_or([&] { return offsets[map_.first(message.node)]; });
    const auto end = call_.known_or([&] { return offsets[map_.first(message.node + 1)]; });
    runs[i] = {node_.slot(local) + begin, end - begin};
  }
  return runs.first(count);
}

std::byte* NodeMessages::pack(std::span<const Run> runs, std::byte* to) {
  for (const Run& run : runs) {
    copy_bytes(to, run.data, run.bytes);
    to += run.bytes;
  }
  return to;
}

/// The bytes that this node's ranks expect in a message together; says where in it each block will
/// be.
std::size_t NodeMessages::expect(const Message& message) {
  return call_.known_or([&] {
    const auto share = schedule_.share(message.node, message.lane);
    std::uint32_t total = 0;
    for (int local = share.begin; local < share.end; ++local) {
      const int position = map_.first(message.node) + local;
      std::uint32_t* const offsets = node_.landing_offsets(position);
      for (int reader = 0; reader < node_.ranks(); ++reader) {
        offsets[reader] = total;
        total += node_.expected_by(reader)[position];
      }
    }
    return total;
  });
}

void NodeMessages::compare(const Message& message, const NodeHeader& header) {
  if (news_.has_failure()) return;
  const std::size_t expected = expect(message);  // first: a plan knows it by its turn
  if (header.news.has_failure() || header.bytes == expected) return;
  fail(Error(ErrorClass::truncate,
             text("the node of rank ", map_.rank_of(message.node, 0), " sends ", header.bytes,
                  " bytes to that of rank ", map_.rank_of(own_, 0), ", which expects ", expected,
                  "; RONDO_CHECK=1 finds the pair of ranks that disagrees")));
}

void NodeMessages::post_receives() {
  for_each_carried(-1, [&](const Message& message) {
    const auto share = schedule_.share(message.node, message.lane);
    context_.early.receive(node_.landing(landing_position(message.node, message.lane)),
                           node_.landing_bytes(share.end - share.begin), carrier(message),
                           context_.tag(0));
  });
}

/// Pack every message that for_each visits, `room` bytes in front of each left free, and call
/// ready(message, data, bytes). Nothing is packed if this node failed.
template <class ForEach, class Ready>
void NodeMessages::pack_all(ForEach&& for_each, std::size_t room, Ready&& ready) {
  const auto messages = static_cast<std::size_t>(map_.nodes() * schedule_.lanes());
  const auto runs = context_.scratch.array<Run>(Scratch::kNodeRuns,
                                                messages * static_cast<std::size_t>(node_.ranks()));
  std::size_t found = 0;
  std::size_t bytes = messages * room;
  for_each([&](const Message& message) {
    for (const Run& run : find_runs(message, runs.subspan(found))) {
      bytes += run.bytes;
      ++found;
    }
  });
  std::byte* at = context_.scratch.bytes(Scratch::kNodeMessages, bytes);
  std::size_t packed = 0;
  for_each([&](const Message& message) {
    const std::size_t count = runs_of(message);
    std::byte* const data = at + room;
    at = pack(runs.subspan(packed, count), data);
    packed += count;
    ready(message, data, static_cast<std::size_t>(at - data));
  });
}

void NodeMessages::send() {
  const auto carried = [&](auto&& visit) { for_each_carried(1, visit); };
  pack_all(
      carried, sizeof(NodeHeader), [&](const Message& message, std::byte* data, std::size_t bytes) {
        const NodeHeader header{.bytes = bytes, .news = news_};
        std::byte* const begin = data - sizeof header;
        std::memcpy(begin, &header, sizeof header);
        context_.messages.send(begin, sizeof header + bytes, carrier(message), context_.tag(0));
      });
}

void NodeMessages::take_in() {
  std::size_t number = 0;
  for_each_carried(-1, [&](const Message& message) {
    context_.early.wait_for_receives(number++, 1);
    NodeHeader& landed = *header(message.node, message.lane);
    compare(message, landed);
    landed.news.merge(news_);
    node_.land(landing_position(message.node, message.lane));
  });
  context_.early.wait();
}

/// The carriers of a lane are to each other as ranks without a node: blocks are what goes from node
/// to node.
void NodeMessages::run_rounds(int lane) {
  const auto ranks = static_cast<std::size_t>(context_.ranks);
  const auto send = context_.scratch.array<ConstBlock>(Scratch::kNodeSend, ranks);
  const auto receive = context_.scratch.array<Block>(Scratch::kNodeReceive, ranks);
  const auto carriers =
      context_.scratch.array<int>(Scratch::kNodeCarriers, static_cast<std::size_t>(map_.nodes()));
  for (int node = 0; node < map_.nodes(); ++node)
    carriers[static_cast<std::size_t>(node)] = carrier({.round = 0, .lane = lane, .node = node});
  send[static_cast<std::size_t>(context_.rank)] = {};
  receive[static_cast<std::size_t>(context_.rank)] = {};
  const auto others = [&](auto&& visit) {
    for (int distance = 1; distance < map_.nodes(); ++distance)
      visit(Message{.round = 0, .lane = lane, .node = (own_ + distance) % map_.nodes()});
  };
  pack_all(others, 0, [&](const Message& message, std::byte* data, std::size_t bytes) {
    const auto rank = static_cast<std::size_t>(carrier(message));
    send[rank] = {data, bytes};
    receive[rank] = {};
    if (news_.has_failure()) return;
    receive[rank] = {reinterpret_cast<std::byte*>(header(message.node, lane) + 1), expect(message)};
  });
  const Travel travel(schedule_.between(), own_, carriers, Travel::Way::upward);
  news_ = alltoallv::exchange_fused(call_, {.send = send, .receive = receive}, travel, news_);
  if (call_.mismatch && !news_.has_failure()) fail(*call_.mismatch);
  call_.mismatch.reset();
  others([&](const Message& message) {
    header(message.node, lane)->news = news_;
    node_.land(landing_position(message.node, lane));
  });
}

/// What only this rank sees is wrong with a message; the header tells the node.
void NodeMessages::fail(const Error& error) {
  news_.failed_rank = context_.rank;
  news_.failed_class = MPI_ERR_TRUNCATE;
  call_.told = error;
}

}  // namespace rondo::exchange
