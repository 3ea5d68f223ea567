#include "engines/node/between_nodes.hpp"

#include "engines/long_blocks.hpp"
#include "engines/node/neighbours.hpp"
#include "engines/node/node_messages.hpp"
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
    if (!call_.mismatch) call_.mismatch = messages.mismatch();
  }

 private:
  void publish() {
    node_.table_of(node_.self()).block_bytes = call_.block_bytes.value_or(TableHeader::kUnknown);
    if (blocks_.failure != nullptr) return neighbours_.send_failure(*blocks_.failure);
    const Packed packed = pack_for_other_nodes();
    neighbours_.send(packed.slot_bytes, packed.longest);
  }

  /// What a rank has packed for other nodes.
  struct Packed {
    std::uint32_t slot_bytes = 0;
    std::uint32_t long_blocks = 0;
    std::size_t longest = 0;
  };

  /// Learns all lengths of a dynamic exchange, and has the blocks placed.
  void place_blocks(const NodeMessages& messages) {
    Incoming& incoming = *call_.incoming;
    neighbours_.write_lengths(incoming);
    for_each_elsewhere([&](int position, int rank) {
      incoming.lengths[static_cast<std::size_t>(rank)] = messages.sent_from(position);
    });
    blocks_.receive = incoming.place();
  }

  /// Writes no lengths if a plan knows them, and lists no long blocks if lengths cannot mismatch.
  Packed pack_for_other_nodes() {
    std::uint32_t* const offsets = node_.offsets_of(node_.self());
    std::uint32_t* const expected = node_.expected_by(node_.self());
    std::byte* const slot = node_.slot(node_.self());
    const bool writes_lengths = !call_.sizes_known();
    Packed packed;
    for (int position = 0; position < context_.ranks; ++position) {
      const int rank = map_.rank_at(position);
      const ConstBlock block = blocks_.send_block(rank);
      if (writes_lengths) {
        offsets[position] = packed.slot_bytes;
        expected[position] = short_bytes_from(rank);
      }
      if (map_.node_of(rank) == own_node_) continue;
      packed.longest = std::max(packed.longest, block.bytes);
      if (call_.incoming != nullptr) {
        const std::byte* const end = write_preceded(slot + packed.slot_bytes, block, limit_);
        packed.slot_bytes = static_cast<std::uint32_t>(end - slot);
        continue;
      }
      if (block.bytes > limit_) {
        if (!call_.has_agreed_lengths()) list_long(position, block.bytes, ++packed.long_blocks);
        continue;
      }
      copy_bytes(slot + packed.slot_bytes, block.data, block.bytes);
      packed.slot_bytes += static_cast<std::uint32_t>(block.bytes);
    }
    if (writes_lengths) {
      offsets[context_.ranks] = packed.slot_bytes;
      node_.table_of(node_.self()).long_blocks = packed.long_blocks;
    }
    return packed;
  }

  void list_long(int position, std::size_t bytes, std::uint32_t number) {
    *(node_.end_of_long_blocks(node_.self()) - number) = {
        .source = static_cast<std::uint32_t>(map_.position_of(context_.rank)),
        .destination = static_cast<std::uint32_t>(position),
        .bytes = bytes};
  }

  std::uint32_t short_bytes_from(int rank) const {
    const std::size_t bytes = blocks_.receive_block(rank).bytes;
    return bytes <= limit_ ? static_cast<std::uint32_t>(bytes) : 0;
  }

  /// It must be known that no rank has failed, since a failed rank would not receive long blocks.
  void exchange_with_other_nodes(NodeMessages& messages) {
    LongBlocks long_blocks(context_, context_.tag(3));
    for_each_elsewhere([&](int position, int rank) {
      receive_from(position, rank, messages, long_blocks);
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

  /// Receives a block of another node, also one that its sender announces as long and this rank
  /// expects to be short.
  void receive_from(int position, int source, NodeMessages& messages, LongBlocks& long_blocks) {
    Mismatch& mismatch = neighbours_.mismatch();
    const Block place = blocks_.receive_block(source);
    const auto arrived = messages.arrived(position, place.bytes, limit_);
    if (arrived.long_bytes != 0 || place.bytes > limit_)
      mismatch.compare(source, arrived.long_bytes, place.bytes);
    if (arrived.long_bytes != 0)
      long_blocks.receive(mismatch.place_for(arrived.long_bytes, place), arrived.long_bytes,
                          source);
    else if (arrived.data != nullptr && place.bytes <= limit_)
      copy_bytes(place.data, arrived.data, place.bytes);
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
