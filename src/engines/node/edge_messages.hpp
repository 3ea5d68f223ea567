// The messages that this rank, as a leader, sends to and receives from other nodes in a neighbourhood
// exchange.
#pragma once

#include "base/status.hpp"
#include "engines/node/message.hpp"
#include "engines/pattern.hpp"

namespace rondo::engines {

class EdgeMessages {
 public:
  /// Call it after all ranks of the node have arrived. `status` is what they reported.
  EdgeMessages(Call& call, const Status& status);

  /// Posts this rank's messages.
  void start();

  /// Waits for the messages that this rank receives, and announces each to the node. Sends may still be
  /// in flight, so context.messages.wait() must follow.
  void finish();

  /// The message from another node. Wait for it first.
  const NodeHeader& landed(int node) const;

 private:
  using Outgoing = NodePattern::Outgoing;
  using Incoming = NodePattern::Incoming;

  std::byte* landing(int node) const { return node_.landing(context_.nodes.first(node)); }
  std::size_t capacity(int node) const { return node_.landing_bytes(context_.nodes.size(node)); }
  void send();
  void find_blocks(const Incoming& message) const;

  Context& context_;
  const NodePattern& pattern_;
  Node& node_;
  Status status_;
};

}  // namespace rondo::engines
