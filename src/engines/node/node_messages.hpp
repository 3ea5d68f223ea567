// The messages that this rank, as a leader, sends to and receives from other nodes in one exchange,
// and where the messages of all leaders land in the node's shared memory.
#pragma once

#include "base/status.hpp"
#include "engines/context.hpp"
#include "engines/node/message.hpp"

namespace rondo::engines {

class NodeMessages {
 public:
  /// Call it after all ranks of the node have arrived. `status` is what they reported. If one of
  /// them failed, headers report that and nothing else is sent.
  NodeMessages(Call& call, const Status& status);

  /// Posts this rank's messages if they go directly; exchanges them if they go in log-time rounds.
  void start();

  /// Waits until every message for this node has landed, whichever rank receives it. Returns the
  /// status of all nodes. Sends may still be in flight, so context.messages.wait() must follow.
  Status finish();

  /// Returns where the block from `position` to this rank is (preceded.hpp), if no rank has failed.
  const std::byte* arrived(int position) const;

 private:
  /// A message of this rank's, from or to another node.
  struct Message {
    int round;
    int lane;
    int node;
  };

  template <class Visit>
  void for_each_own(int direction, Visit&& visit) const;
  template <class Visit>
  void for_each_landing(Visit&& visit) const;

  template <class ForEach, class Ready>
  void pack_all(ForEach&& for_each, Ready&& ready) const;

  int leader(const Message& message) const;
  void find_blocks(const Message& message) const;
  void announce(const Message& message);
  int landing_position(int node, int lane) const;
  NodeHeader* header(int node, int lane) const;
  const NodeHeader& header_of(int position) const;
  std::size_t landing_bytes(const Message& message) const;

  void post_receives();
  void send();
  void receive_all();
  void run_rounds(int lane);

  Call& call_;
  Context& context_;
  const schedule::NodeSchedule& schedule_;
  const schedule::NodeMap& map_;
  Node& node_;
  int own_;
  Status status_;
};

}  // namespace rondo::engines
