// The messages that this rank, as a leader, sends to and receives from other nodes in one exchange,
// and where the messages of all leaders land in the node's shared memory.
#pragma once

#include <optional>
#include <span>

#include "base/status.hpp"
#include "engines/context.hpp"

namespace rondo::engines {

/// The header of every message between nodes, in flight and in the landing area. The short blocks
/// follow, rank by rank, and then the list of long blocks. The tag contains the number of the
/// exchange.
struct NodeHeader {
  std::uint32_t bytes = 0;     ///< of the short blocks
  std::uint32_t expected = 0;  ///< by the ranks that receive them; filled in after the landing
  std::uint32_t long_blocks = 0;
  std::uint32_t unused = 0;
  Status status{};  ///< of the sending node; after the landing, of all known nodes
};
static_assert(sizeof(NodeHeader) == 32);

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

  /// How a block from another node has arrived, if no rank has failed.
  struct Arrived {
    const std::byte* data;   ///< null if its place in the message is not known
    std::size_t long_bytes;  ///< not 0 if the block comes from rank to rank
  };
  /// Returns how the block from `position` to this rank has arrived. This rank expects `expected`
  /// bytes. Blocks longer than `limit` are long.
  Arrived arrived(int position, std::size_t expected, std::size_t limit);

  /// Returns the length of the block from `position` to this rank in a dynamic exchange, if no rank
  /// has failed.
  std::uint64_t sent_from(int position) const;

  /// Returns the Error(truncate) of a message with another length than expected, if any. All ranks
  /// of the receiving node know it.
  const std::optional<Error>& mismatch() const { return mismatch_; }

 private:
  /// What one rank of the node contributes to a message.
  struct Run {
    const std::byte* data;
    std::size_t bytes;
    std::span<const LongBlock> long_blocks;
  };
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

  int leader(const Message& message) const;
  std::size_t run_count(const Message& message) const;
  Run find_run(const Message& message, int local, std::size_t number) const;
  std::span<const LongBlock> long_blocks_to(int node, int local) const;
  static std::size_t packed_bytes(std::span<const Run> runs);
  std::byte* pack(std::span<const Run> runs, std::byte* to) const;
  template <class ForEach, class Ready>
  void pack_all(ForEach&& for_each, Ready&& ready);
  std::uint32_t expected_bytes(const Message& message, std::size_t number);
  std::uint32_t find_blocks(const Message& message);
  void number_long_blocks(const NodeHeader& header) const;
  void announce(const Message& message, std::size_t number);
  void learn_landing(int position, std::uint32_t offset);
  void note_mismatch(int node, const NodeHeader& header);
  int landing_position(int node, int lane) const;
  NodeHeader* header(int node, int lane) const;
  NodeHeader* header_of(int position) const;
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
  std::optional<Error> mismatch_;
};

}  // namespace rondo::engines
