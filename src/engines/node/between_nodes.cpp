#include "engines/long_blocks.hpp"
#include "engines/node/neighbours.hpp"
#include "engines/node/node_messages.hpp"
#include "engines/node/several_nodes.hpp"
#include "engines/outcome.hpp"

namespace rondo::engines {

namespace {

class BetweenNodes {
 public:
  BetweenNodes(Call& call, const Blocks& blocks)
      : call_(call),
        context_(call.context),
        map_(context_.nodes),
        node_(*context_.node()),
        blocks_(blocks),
        limit_(short_limit(call)),
        own_node_(map_.node_of(context_.rank)),
        neighbours_(call, blocks_, short_limit_inside(call), context_.tag(2)) {}

  void run() {
    Status status = own_status(context_, blocks_.failure);
    node_.begin();
    publish();
    neighbours_.wait_for_all(status, [](int, int) {});
    NodeMessages messages(call_, status);
    messages.start();
    const bool knows_lengths = call_.incoming == nullptr;
    bool has_exchanged = knows_lengths && !status.has_failure();
    if (has_exchanged) neighbours_.exchange_all(status);
    status = messages.finish();
    if (!conclude(call_, blocks_.failure, status)) {
      if (!knows_lengths) {
        place_blocks(messages);
        neighbours_.exchange_all(status);
        has_exchanged = true;
      }
      exchange_with_other_nodes(messages);
    }
    neighbours_.finish(call_, has_exchanged);
  }

 private:
  void publish() {
    if (blocks_.failure != nullptr) return neighbours_.send_failure(*blocks_.failure);
    std::uint32_t* offset = node_.offsets_of(node_.self());
    std::byte* const slot = node_.slot(node_.self());
    std::byte* at = slot;
    std::size_t longest = 0;
    for (int node = 0; node < map_.nodes(); ++node) {
      *offset++ = static_cast<std::uint32_t>(at - slot);
      if (node == own_node_) continue;
      for (int position = map_.first(node); position < map_.first(node + 1); ++position) {
        const ConstBlock block = blocks_.send_block(map_.rank_at(position));
        longest = std::max(longest, block.bytes);
        at = write_preceded(at, block, limit_);
      }
    }
    *offset = static_cast<std::uint32_t>(at - slot);
    neighbours_.send(static_cast<std::size_t>(at - slot), longest);
  }

  /// Learns all lengths of a dynamic exchange, and has the blocks placed.
  void place_blocks(const NodeMessages& messages) {
    Incoming& incoming = *call_.incoming;
    neighbours_.write_lengths(incoming);
    for_each_elsewhere([&](int position, int rank) {
      incoming.lengths[static_cast<std::size_t>(rank)] =
          read_preceded(messages.arrived(position)).number;
    });
    blocks_.receive = incoming.place();
  }

  /// It must be known that no rank has failed, since a failed rank would not receive long blocks.
  void exchange_with_other_nodes(NodeMessages& messages) {
    LongBlocks long_blocks(context_, context_.tag(3));
    for_each_elsewhere([&](int position, int rank) {
      take_preceded(messages.arrived(position), rank, blocks_.receive_block(rank),
                    neighbours_.mismatch(), long_blocks);
      const ConstBlock block = blocks_.send_block(rank);
      if (block.bytes > limit_) long_blocks.send(block, rank);
    });
    long_blocks.exchange();
  }

  /// Calls visit(position, rank) for every rank of the other nodes, the next node first.
  template <class Visit>
  void for_each_elsewhere(Visit&& visit) const {
    for (int step = node_.ranks(); step < context_.ranks; ++step) {
      const int position = (map_.first(own_node_) + step) % context_.ranks;
      visit(position, map_.rank_at(position));
    }
  }

  Call& call_;
  Context& context_;
  const schedule::NodeMap& map_;
  Node& node_;
  Blocks blocks_;  ///< the receive side of a dynamic exchange comes later
  std::size_t limit_;
  int own_node_;
  Neighbours neighbours_;
};

}  // namespace

void exchange_between_nodes(Call& call, const Blocks& blocks) {
  BetweenNodes(call, blocks).run();
}

}  // namespace rondo::engines
