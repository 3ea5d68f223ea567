#include "engines/node/edge_messages.hpp"

#include <new>

#include "engines/node/preceded.hpp"

namespace rondo::engines {

EdgeMessages::EdgeMessages(Call& call, const Status& status)
    : context_(call.context),
      pattern_(call.pattern->nodes(context_)),
      node_(*context_.node()),
      status_(status) {}

const EdgeHeader& EdgeMessages::landed(int node) const {
  return *reinterpret_cast<const EdgeHeader*>(landing(node));
}

std::size_t EdgeMessages::run_bytes(const NodePattern::Run& run) const {
  const std::uint32_t* const offsets = node_.offsets_of(run.local) + run.number;
  return offsets[1] - offsets[0];
}

/// After a failure a message has no blocks.
std::size_t EdgeMessages::message_bytes(const Outgoing& message) const {
  std::size_t bytes = sizeof(EdgeHeader);
  if (status_.has_failure()) return bytes;
  for (const NodePattern::Run& run : message.runs) bytes += run_bytes(run);
  return bytes;
}

/// Writes a message. Returns its end.
std::byte* EdgeMessages::pack(const Outgoing& message, std::byte* to) const {
  const std::size_t bytes = message_bytes(message);
  new (to) EdgeHeader{.bytes = bytes - sizeof(EdgeHeader), .status = status_};
  std::byte* at = to + sizeof(EdgeHeader);
  if (status_.has_failure()) return at;
  for (const NodePattern::Run& run : message.runs) {
    const std::size_t length = run_bytes(run);
    copy_bytes(at, node_.slot(run.local) + node_.offsets_of(run.local)[run.number], length);
    at += length;
  }
  return at;
}

void EdgeMessages::start() {
  for (const Incoming& message : pattern_.receives)
    context_.early.receive_first(landing(message.node), capacity(message.node), message.sender,
                                 context_.tag(0));
  // Every message begins at an address at which a header may be.
  const auto aligned = [](std::size_t bytes) { return round_up(bytes, alignof(EdgeHeader)); };
  std::size_t total = 0;
  for (const Outgoing& message : pattern_.sends) total += aligned(message_bytes(message));
  std::byte* at = context_.scratch.bytes(Scratch::kNodeMessages, total);
  for (const Outgoing& message : pattern_.sends) {
    const auto bytes = static_cast<std::size_t>(pack(message, at) - at);
    context_.messages.send(at, bytes, message.receiver, context_.tag(0));
    at += aligned(bytes);
  }
}

/// Writes where in a message each block is.
void EdgeMessages::find_blocks(const Incoming& message) const {
  const auto* const blocks = reinterpret_cast<const std::byte*>(&landed(message.node) + 1);
  std::size_t end = 0;
  const NodePattern::Item* run = message.blocks.data();  // the first block of the same source
  for (const NodePattern::Item& item : message.blocks) {
    if (item.position != run->position) run = &item;
    const std::size_t begin = end + kLengthBytes;
    std::uint32_t* const offsets = node_.landing_offsets(item.position);
    const std::uint32_t mark = mark_before(blocks + begin);
    offsets[item.reader] = is_repeated(mark) ? offsets[run[number_of_repeated(mark)].reader]
                                             : static_cast<std::uint32_t>(begin);
    end = begin + taken_at(blocks + begin);
  }
}

void EdgeMessages::finish() {
  std::size_t number = 0;
  for (const Incoming& message : pattern_.receives) {
    context_.early.wait_for_receives(number++, 1);
    context_.early.receive_rest(landing(message.node),
                                sizeof(EdgeHeader) + landed(message.node).bytes, message.sender,
                                context_.tag(0));
    if (!landed(message.node).status.has_failure()) find_blocks(message);
    node_.announce_landing(context_.nodes.first(message.node));
  }
  context_.early.wait();
}

}  // namespace rondo::engines
