// The messages that this rank, as a leader, sends to and receives from other nodes in a neighbourhood
// exchange.
#pragma once

#include "base/status.hpp"
#include "engines/pattern.hpp"

namespace rondo::engines {

/// The header of a message between nodes. The blocks follow, each preceded by its length.
struct EdgeHeader {
  std::uint64_t bytes = 0;  ///< of what follows
  Status status{};          ///< of the sending node
};

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
  const EdgeHeader& landed(int node) const;

 private:
  using Outgoing = NodePattern::Outgoing;
  using Incoming = NodePattern::Incoming;

  std::byte* landing(int node) const { return node_.landing(context_.nodes.first(node)); }
  std::size_t capacity(int node) const { return node_.landing_bytes(context_.nodes.size(node)); }
  std::size_t run_bytes(const NodePattern::Run& run) const;
  std::size_t message_bytes(const Outgoing& message) const;
  std::byte* pack(const Outgoing& message, std::byte* to) const;
  void find_blocks(const Incoming& message) const;

  Context& context_;
  const NodePattern& pattern_;
  Node& node_;
  Status status_;
};

}  // namespace rondo::engines
