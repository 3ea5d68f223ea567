#include "engines/node/edge_messages.hpp"

#include <functional>
#include <numeric>

#include "engines/node/preceded.hpp"

namespace rondo::engines {

EdgeMessages::EdgeMessages(Call& call, const Status& status)
    : context_(call.context),
      pattern_(call.pattern->nodes(context_)),
      node_(*context_.node()),
      status_(status) {}

const NodeHeader& EdgeMessages::landed(int node) const {
  return *reinterpret_cast<const NodeHeader*>(landing(node));
}

void EdgeMessages::start() {
  for (const Incoming& message : pattern_.receives)
    context_.early.receive_first(landing(message.node), capacity(message.node), message.sender,
                                 context_.tag(0));
  send();
}

void EdgeMessages::send() {
  const std::span<const Outgoing> messages = pattern_.sends;
  const auto count = [](const Outgoing& message) { return message.runs.size(); };
  const std::size_t runs =
      std::transform_reduce(messages.begin(), messages.end(), std::size_t{0}, std::plus{}, count);
  pack_messages(
      context_, status_, runs, [&](auto&& visit) { std::ranges::for_each(messages, visit); }, count,
      [&](const Outgoing& message, std::size_t i) {
        return node_.run(message.runs[i].local, message.runs[i].number);
      },
      [&](const Outgoing& message, const std::byte* data, std::size_t bytes) {
        context_.messages.send(data, bytes, message.receiver, context_.tag(0));
      });
}

/// Writes where in a message each block is.
void EdgeMessages::find_blocks(const Incoming& message) const {
  const std::byte* const blocks = blocks_of(landed(message.node));
  const std::byte* at = blocks;
  const NodePattern::Item* run = message.blocks.data();  // the first block of the same source
  for (const NodePattern::Item& item : message.blocks) {
    if (item.position != run->position) run = &item;
    const Preceded block = read_preceded(at);
    std::uint32_t* const offsets = node_.landing_offsets(item.position);
    offsets[item.reader] = block.is_repeated() ? offsets[run[block.number].reader]
                                               : static_cast<std::uint32_t>(at - blocks);
    at = block.end();
  }
}

void EdgeMessages::finish() {
  std::size_t number = 0;
  for (const Incoming& message : pattern_.receives) {
    context_.early.wait_for_receives(number++, 1);
    context_.early.receive_rest(landing(message.node), message_bytes(landed(message.node)),
                                message.sender, context_.tag(0));
    if (!landed(message.node).status.has_failure()) find_blocks(message);
    node_.announce_landing(context_.nodes.first(message.node));
  }
  context_.early.wait();
}

}  // namespace rondo::engines
