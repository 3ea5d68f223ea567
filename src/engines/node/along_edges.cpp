#include "engines/long_blocks.hpp"
#include "engines/node/edge_messages.hpp"
#include "engines/node/neighbours.hpp"
#include "engines/node/preceded.hpp"
#include "engines/node/repeats.hpp"
#include "engines/node/several_nodes.hpp"
#include "engines/outcome.hpp"

namespace rondo::engines {

namespace {

using Group = NodePattern::Group;

class AlongEdges {
 public:
  AlongEdges(Call& call, const Blocks& blocks)
      : call_(call),
        context_(call.context),
        pattern_(call.pattern->nodes(context_)),
        node_(*context_.node()),
        blocks_(blocks),
        limit_(short_limit(call)),
        repeats_(call, pattern_, blocks, node_.limit() - kMostLengthBytes),
        neighbours_(call, blocks_, short_limit_inside(call), context_.tag(2)),
        long_blocks_(context_, context_.tag(3)) {}

  void run() {
    Status status = own_status(context_, blocks_.failure);
    node_.begin();
    publish();
    neighbours_.wait_for_all(status, [](int, int) {});
    EdgeMessages messages(call_, status);
    messages.start();
    const bool takes_part = !status.has_failure();
    if (takes_part) neighbours_.exchange_all(status);
    messages.finish();
    for (const Group& group : pattern_.arriving) take_from(group, messages, status);
    if (takes_part) send_long_blocks();
    long_blocks_.exchange();
    conclude(call_, blocks_.failure, status);
    neighbours_.finish(call_, takes_part);
  }

 private:
  void publish() {
    if (blocks_.failure != nullptr) return neighbours_.send_failure(*blocks_.failure);
    std::byte* const slot = node_.slot(node_.self());
    std::uint32_t* offset = node_.offsets_of(node_.self());
    std::byte* at = slot;
    std::size_t longest = 0;
    *offset = 0;
    for_each_leaving(
        [&](int rank, const Repeats::Entry& entry) {
          const ConstBlock block = blocks_.send_block(rank);
          longest = std::max(longest, block.bytes);
          at = entry.is_repeated() ? write_repeated(at, entry.first())
                                   : write_preceded(at, block, longest_written(entry));
        },
        [&] { *++offset = static_cast<std::uint32_t>(at - slot); });
    neighbours_.send(static_cast<std::size_t>(at - slot), longest);
  }

  /// Takes the blocks that another node sends to this rank, and learns whether that node has failed.
  void take_from(const Group& group, const EdgeMessages& messages, Status& status) {
    node_.wait_for_landing(context_.nodes.first(group.node));
    const NodeHeader& header = messages.landed(group.node);
    status.merge(header.status);
    if (header.status.has_failure()) return;
    for (const int rank : group.ranks) {
      const int position = context_.nodes.position_of(rank);
      take_preceded(blocks_of(header) + node_.landing_offsets(position)[node_.self()], rank,
                    blocks_.receive_block(rank), neighbours_.mismatch(), long_blocks_);
    }
  }

  void send_long_blocks() {
    for_each_leaving(
        [&](int rank, const Repeats::Entry& entry) {
          const ConstBlock block = blocks_.send_block(rank);
          if (block.bytes > longest_written(entry)) long_blocks_.send(block, rank);
        },
        [] {});
  }

  /// Calls visit(rank, entry) for every rank of other nodes to which this rank sends, and end() after
  /// those of a node.
  template <class Visit, class End>
  void for_each_leaving(Visit&& visit, End&& end) const {
    std::size_t at = 0;
    for (const Group& group : pattern_.leaving) {
      for (std::size_t number = 0; number < group.ranks.size(); ++number)
        visit(group.ranks[number], repeats_.entry(at++, number));
      end();
    }
  }

  /// A block that would go to several ranks of a node by itself takes less time in the message.
  std::size_t longest_written(const Repeats::Entry& entry) const {
    return entry.is_shared() ? node_.limit() - kMostLengthBytes : limit_;
  }

  Call& call_;
  Context& context_;
  const NodePattern& pattern_;
  Node& node_;
  const Blocks& blocks_;
  std::size_t limit_;
  Repeats repeats_;
  Neighbours neighbours_;
  LongBlocks long_blocks_;
};

}  // namespace

void exchange_along_edges(Call& call, const Blocks& blocks) {
  AlongEdges(call, blocks).run();
}

}  // namespace rondo::engines
