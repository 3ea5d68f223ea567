// The messages that this rank carries between nodes in one exchange, and where those of all
// carriers land in the node's shared memory.
#pragma once

#include <span>

#include "base/news.hpp"
#include "exchange/context.hpp"

namespace rondo::exchange {

/// In front of every message that has landed; the number of the exchange is in the tag.
struct NodeHeader {
  std::uint64_t bytes = 0;
  News news{};
};
static_assert(sizeof(NodeHeader) == 24);

class NodeMessages {
 public:
  /// After all ranks of the node have arrived; `news` is what they told together. If one failed,
  /// headers say so and nothing else travels.
  NodeMessages(Call& call, const News& news);

  /// Carry what this rank carries: all of it in log-time rounds, or post it if it goes directly.
  void start();

  /// Wait until every message for this node has landed, whoever carries it; returns the news of all
  /// nodes. A message of another length than was expected is a failure of its receiver. Sends may
  /// still be in flight: context.messages.wait() must follow.
  News finish();

  /// The blocks of the message that has those of the rank at `position`, on another node.
  const std::byte* landed(int position) const;

 private:
  /// What one rank of the node contributes to a message.
  struct Run {
    const std::byte* data;
    std::size_t bytes;
  };
  /// From or to another node, one of which this rank carries.
  struct Message {
    int round;
    int lane;
    int node;
  };

  template <class Visit>
  void for_each_carried(int direction, Visit&& visit) const;
  template <class Visit>
  void for_each_landing(Visit&& visit) const;

  int carrier(const Message& message) const;
  std::size_t runs_of(const Message& message) const;
  std::span<const Run> find_runs(const Message& message, std::span<Run> runs);
  static std::byte* pack(std::span<const Run> runs, std::byte* to);
  template <class ForEach, class Ready>
  void pack_all(ForEach&& for_each, std::size_t room, Ready&& ready);
  std::size_t expect(const Message& message);
  void compare(const Message& message, const NodeHeader& header);
  void fail(const Error& error);
  int landing_position(int node, int lane) const;
  NodeHeader* header(int node, int lane) const;

  void post_receives();
  void send();
  void take_in();
  void run_rounds(int lane);

  Call& call_;
  Context& context_;
  const schedule::NodeSchedule& schedule_;
  const schedule::NodeMap& map_;
  Node& node_;
  int own_;
  News news_;
};

}  // namespace rondo::exchange
