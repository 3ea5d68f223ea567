#include "engines/node/node_messages.hpp"

#include <algorithm>
#include <new>

#include "engines/bruck/fused_rounds.hpp"
#include "engines/node/preceded.hpp"

namespace rondo::engines {

using schedule::Between;

namespace {

/// Returns where the list of long blocks begins, behind `bytes` bytes of short blocks.
std::size_t aligned(std::size_t bytes) {
  return round_up(bytes, alignof(LongBlock));
}

std::span<const LongBlock> long_blocks(const NodeHeader& header) {
  const auto* const blocks = reinterpret_cast<const std::byte*>(&header + 1);
  return {reinterpret_cast<const LongBlock*>(blocks + aligned(header.bytes)), header.long_blocks};
}

std::size_t message_bytes(const NodeHeader& header) {
  return sizeof header + aligned(header.bytes) + header.long_blocks * sizeof(LongBlock);
}

/// Returns an offset beyond which no block begins, neither as sent nor as expected.
std::uint32_t end_of_blocks(const NodeHeader& header) {
  return std::max(header.bytes, header.expected);
}

}  // namespace

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
    const NodeHeader& landed = *header(node, lane);
    status_.merge(landed.status);
    note_mismatch(node, landed);
  });
  return status_;
}

NodeHeader* NodeMessages::header_of(int position) const {
  const int node = map_.node_of(map_.rank_at(position));
  int lane = schedule_.lanes() - 1;
  while (landing_position(node, lane) > position) --lane;
  return header(node, lane);
}

void NodeMessages::learn_landing(int position, std::uint32_t offset) {
  auto& known = call_.learned->landing_offsets;
  known.resize(static_cast<std::size_t>(context_.ranks));
  known[static_cast<std::size_t>(position)] = offset;
}

/// An offset says where in its message a block begins. An offset beyond end_of_blocks() is the
/// number of a long block instead.
NodeMessages::Arrived NodeMessages::arrived(int position, std::size_t expected, std::size_t limit) {
  std::uint32_t offset = 0;
  if (call_.sizes_known()) {
    offset = call_.learned->landing_offsets[static_cast<std::size_t>(position)];
  } else {
    offset = node_.landing_offsets(position)[node_.self()];
    if (call_.is_learning()) learn_landing(position, offset);
  }
  const NodeHeader* const header = header_of(position);
  const auto* const data = reinterpret_cast<const std::byte*>(header + 1);
  if (call_.has_agreed_lengths()) return {data + offset, expected > limit ? expected : 0};
  const std::uint32_t end = end_of_blocks(*header);
  if (offset > end) return {nullptr, long_blocks(*header)[offset - end - 1].bytes};
  return {header->bytes == header->expected ? data + offset : nullptr, 0};
}

std::uint64_t NodeMessages::sent_from(int position) const {
  const auto* const blocks = reinterpret_cast<const std::byte*>(header_of(position) + 1);
  return length_before(blocks + node_.landing_offsets(position)[node_.self()]);
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

/// Returns how many ranks of this node contribute to a message: none after a failure.
std::size_t NodeMessages::run_count(const Message& message) const {
  const auto share = schedule_.share(own_, message.lane);
  return status_.has_failure() ? 0 : static_cast<std::size_t>(share.end - share.begin);
}

/// Returns the part of rank `local`'s slot that belongs to a message. It is the `number`-th run
/// that this rank looks up.
NodeMessages::Run NodeMessages::find_run(const Message& message, int local,
                                         std::size_t number) const {
  if (call_.sizes_known()) {
    const NodeRun& run = call_.learned->node_runs[number];
    return {node_.slot(local) + run.begin, run.bytes, {}};
  }
  const std::uint32_t* const offsets = node_.offsets_of(local);
  const std::uint32_t begin = offsets[map_.first(message.node)];
  const std::uint32_t bytes = offsets[map_.first(message.node + 1)] - begin;
  if (call_.is_learning()) call_.learned->node_runs.push_back({begin, bytes});
  return {node_.slot(local) + begin, bytes, long_blocks_to(message.node, local)};
}

std::span<const LongBlock> NodeMessages::long_blocks_to(int node, int local) const {
  const std::size_t count = node_.table_of(local).long_blocks;
  if (count == 0) return {};
  const std::span<const LongBlock> all{node_.end_of_long_blocks(local) - count, count};
  const auto is_beyond = [](const LongBlock& block, int position) {
    return static_cast<int>(block.destination) >= position;
  };
  const auto begin = std::lower_bound(all.begin(), all.end(), map_.first(node + 1), is_beyond);
  const auto end = std::lower_bound(begin, all.end(), map_.first(node), is_beyond);
  return {begin, end};
}

std::size_t NodeMessages::packed_bytes(std::span<const Run> runs) {
  std::size_t bytes = 0;
  std::size_t long_blocks = 0;
  for (const Run& run : runs) {
    bytes += run.bytes;
    long_blocks += run.long_blocks.size();
  }
  return sizeof(NodeHeader) + aligned(bytes) + long_blocks * sizeof(LongBlock);
}

/// Writes a message. Returns its end.
std::byte* NodeMessages::pack(std::span<const Run> runs, std::byte* to) const {
  auto& header = *new (to) NodeHeader{.status = status_};
  std::byte* at = to + sizeof header;
  for (const Run& run : runs) {
    copy_bytes(at, run.data, run.bytes);
    at += run.bytes;
    header.bytes += static_cast<std::uint32_t>(run.bytes);
    header.long_blocks += static_cast<std::uint32_t>(run.long_blocks.size());
  }
  at = to + sizeof header + aligned(header.bytes);
  for (const Run& run : runs) at = std::ranges::copy(std::as_bytes(run.long_blocks), at).out;
  return at;
}

/// Packs every message that for_each visits, without blocks after a failure, and calls
/// ready(message, data, bytes).
template <class ForEach, class Ready>
void NodeMessages::pack_all(ForEach&& for_each, Ready&& ready) {
  const auto messages = static_cast<std::size_t>(map_.nodes() * schedule_.lanes());
  const auto runs = context_.scratch.array<Run>(Scratch::kNodeRuns,
                                                messages * static_cast<std::size_t>(node_.ranks()));
  std::size_t found = 0;
  std::size_t bytes = 0;
  for_each([&](const Message& message) {
    const int first = schedule_.share(own_, message.lane).begin;
    const std::size_t count = run_count(message);
    for (std::size_t i = 0; i < count; ++i)
      runs[found + i] = find_run(message, first + static_cast<int>(i), found + i);
    bytes += packed_bytes(runs.subspan(found, count));
    found += count;
  });
  std::byte* at = context_.scratch.bytes(Scratch::kNodeMessages, bytes);
  std::size_t packed = 0;
  for_each([&](const Message& message) {
    const std::size_t count = run_count(message);
    std::byte* const end = pack(runs.subspan(packed, count), at);
    packed += count;
    ready(message, at, static_cast<std::size_t>(end - at));
    at = end;
  });
}

/// Returns how many bytes this node's ranks expect in a message, the `number`-th that this rank
/// receives. Also writes where in the message each block will be.
std::uint32_t NodeMessages::expected_bytes(const Message& message, std::size_t number) {
  if (call_.sizes_known()) return call_.learned->node_expected[number];
  if (call_.incoming != nullptr) return find_blocks(message);
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
  if (call_.is_learning()) call_.learned->node_expected.push_back(total);
  return total;
}

/// Writes where in a message each block is, if each is preceded by its length. Returns the length of
/// all together.
std::uint32_t NodeMessages::find_blocks(const Message& message) {
  const auto* const blocks =
      reinterpret_cast<const std::byte*>(header(message.node, message.lane) + 1);
  const auto share = schedule_.share(message.node, message.lane);
  std::size_t end = 0;
  for (int local = share.begin; local < share.end; ++local) {
    std::uint32_t* const offsets = node_.landing_offsets(map_.first(message.node) + local);
    for (int reader = 0; reader < node_.ranks(); ++reader) {
      const std::size_t begin = end + kLengthBytes;
      offsets[reader] = static_cast<std::uint32_t>(begin);
      end = begin + taken_at(blocks + begin);
    }
  }
  return static_cast<std::uint32_t>(end);
}

/// Writes for each long block its number in place of an offset, whatever the reader expects.
void NodeMessages::number_long_blocks(const NodeHeader& header) const {
  std::uint32_t number = end_of_blocks(header);
  for (const LongBlock& block : long_blocks(header)) {
    const int reader = map_.local_of(map_.rank_at(static_cast<int>(block.destination)));
    node_.landing_offsets(static_cast<int>(block.source))[reader] = ++number;
  }
}

/// Announces to the node a message that has landed, with what this rank knows of the status of all.
void NodeMessages::announce(const Message& message, std::size_t number) {
  NodeHeader& landed = *header(message.node, message.lane);
  landed.expected = landed.bytes;
  if (!status_.has_failure() && !landed.status.has_failure()) {
    landed.expected = expected_bytes(message, number);
    number_long_blocks(landed);
  }
  landed.status.merge(status_);
  node_.announce_landing(landing_position(message.node, message.lane));
}

void NodeMessages::note_mismatch(int node, const NodeHeader& header) {
  if (header.bytes == header.expected || mismatch_) return;
  mismatch_ =
      Error(ErrorClass::truncate,
            text("the node of rank ", map_.rank_of(node, 0), " sends ", header.bytes,
                 " bytes to the node of rank ", map_.rank_of(own_, 0), ", which expects ",
                 header.expected, "; set RONDO_CHECK=1 to find the two ranks that disagree"));
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
    context_.early.wait_for_receives(number, 1);
    NodeHeader* const landed = header(message.node, message.lane);
    context_.early.receive_rest(reinterpret_cast<std::byte*>(landed), message_bytes(*landed),
                                leader(message), context_.tag(0));
    announce(message, number++);
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
  std::size_t number = 0;
  others([&](const Message& message) { announce(message, number++); });
}

}  // namespace rondo::engines
