// The messages that this rank carries between nodes in one exchange, and where those of all
// leaders land in the node's shared memory.
#pragma once

#include <optional>
#include <span>

#include "base/status.hpp"
#include "exchange/context.hpp"

namespace rondo::exchange::engines {

/// In front of every message between nodes, on its way and where it has landed; the number of the
/// exchange is in the tag. Short blocks follow, rank by rank, and then the list of long ones.
struct NodeHeader {
  std::uint32_t bytes = 0;     ///< of the short blocks
  std::uint32_t expected = 0;  ///< by the ranks that receive them: filled in when it has landed
  std::uint32_t long_blocks = 0;
  std::uint32_t unused = 0;
  Status status{};  ///< of the sending node; when it has landed, of all known ones
};
static_assert(sizeof(NodeHeader) == 32);

class NodeMessages {
 public:
  /// After all ranks of the node have arrived; `status` is what they reported together. If one failed,
  /// headers say so and nothing else travels.
  NodeMessages(Call& call, const Status& status);

  /// Carry what this rank carries: all of it in log-time rounds, or post it if it goes directly.
  void start();

  /// Wait until every message for this node has landed, whoever carries it; returns the status of all
  /// nodes. Sends may still be in flight: context.messages.wait() must follow.
  Status finish();

  /// How a block from another node has come, if no rank has failed.
  struct Arrived {
    const std::byte* data;   ///< null if it is not known where in the message it is
    std::size_t long_bytes;  ///< not 0: it comes from rank to rank
  };
  /// The block from `position` to this rank, which expects `expected` bytes, long ones beyond
  /// `limit`.
  Arrived arrived(int position, std::size_t expected, std::size_t limit);

  /// The Error(truncate) of a message of another length than was expected, which all ranks of its
  /// node know.
  const std::optional<Error>& mismatch() const { return mismatch_; }

 private:
  /// What one rank of the node contributes to a message.
  struct Run {
    const std::byte* data;
    std::size_t bytes;
    std::span<const LongBlock> long_blocks;
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

  int leader(const Message& message) const;
  std::size_t runs_of(const Message& message) const;
  Run find_run(const Message& message, int local, std::size_t number) const;
  std::span<const LongBlock> long_blocks_to(int node, int local) const;
  static std::size_t packed_bytes(std::span<const Run> runs);
  std::byte* pack(std::span<const Run> runs, std::byte* to) const;
  template <class ForEach, class Ready>
  void pack_all(ForEach&& for_each, Ready&& ready);
  std::uint32_t expect(const Message& message, std::size_t number);
  void list_long_blocks(const NodeHeader& header) const;
  void look_at(const Message& message, std::size_t number);
  void learn_landing(int position, std::uint32_t offset);
  void note_mismatch(int node, const NodeHeader& header);
  int landing_position(int node, int lane) const;
  NodeHeader* header(int node, int lane) const;
  NodeHeader* header_of(int position) const;
  std::size_t landing_bytes(const Message& message) const;

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
  Status status_;
  std::optional<Error> mismatch_;
};

}  // namespace rondo::exchange::engines
