// Shared memory inside the nodes, one message for each pair of nodes between them: for alltoall and
// alltoallv alike. The steps of a call, with the schedule in schedule/node_schedule.hpp:
//
//   publish   every rank writes the lengths and bytes of its blocks, in node-major order, and the
//             lengths that it expects, and arrives
//   carry     carriers pack what all ranks of their share send to a node and exchange it; they know
//             every length that arrives, from what their neighbours published
//   copy      blocks of neighbours from their slots, blocks of other nodes from where they landed,
//             straight to the receive buffer; long blocks go from rank to rank
#pragma once

#include "exchange/node_messages.hpp"
#include "exchange/shared_memory.hpp"

namespace rondo::exchange {

template <class Blocks>
class Hierarchical {
 public:
  Hierarchical(Call& call, const Blocks& blocks)
      : call_(call),
        context_(call.context),
        map_(context_.nodes),
        node_(*context_.node()),
        blocks_(blocks),
        limit_(short_limit(call)),
        own_node_(map_.node_of(context_.rank)),
        neighbours_(call, blocks, limit_, context_.tag(2)) {}

  void run() {
    News news = first_news(context_, blocks_.failure);
    node_.begin();
    publish();
    neighbours_.wait_for_all(news, [](int, int) {});
    NodeMessages messages(call_, news);
    messages.start();
    if (!news.has_failure()) take_from_neighbours(news);
    news = messages.finish();
    if (!tell(call_, blocks_.failure, news)) {
      exchange_long();
      copy_from_other_nodes(messages);
    }
    context_.messages.wait();
    call_.mismatch = neighbours_.mismatch().error(context_.rank);
  }

 private:
  void publish() {
    if (blocks_.failure != nullptr) return neighbours_.send_failure(*blocks_.failure);
    neighbours_.send(pack_for_other_nodes());
  }

  /// Returns the bytes that this takes in the slot. Lengths are not written where a plan knows
  /// them.
  std::size_t pack_for_other_nodes() {
    std::uint32_t* const offsets = node_.offsets_of(node_.self());
    std::uint32_t* const expected = node_.expected_by(node_.self());
    std::byte* const slot = node_.slot(node_.self());
    const bool tells_lengths = !call_.sizes_known();
    std::uint32_t used = 0;
    for (int position = 0; position < context_.ranks; ++position) {
      const int rank = map_.rank_at(position);
      const ConstBlock block = blocks_.send_block(rank);
      const bool is_packed = block.bytes <= limit_ && map_.node_of(rank) != own_node_;
      if (tells_lengths) {
        offsets[position] = used;
        expected[position] = short_bytes_from(rank);
      }
      if (!is_packed) continue;
      copy_bytes(slot + used, block.data, block.bytes);
      used += static_cast<std::uint32_t>(block.bytes);
    }
    if (tells_lengths) offsets[context_.ranks] = used;
    return used;
  }

  std::uint32_t short_bytes_from(int rank) const {
    const std::size_t bytes = blocks_.receive_block(rank).bytes;
    return bytes <= limit_ ? static_cast<std::uint32_t>(bytes) : 0;
  }

  void take_from_neighbours(News& news) {
    neighbours_.take_own();
    neighbours_.wait_for_all(news, [&](int local, int rank) { neighbours_.meet(local, rank); });
  }

  void copy_from_other_nodes(const NodeMessages& messages) {
    for (int step = node_.ranks(); step < context_.ranks; ++step) {
      const int position = (map_.first(own_node_) + step) % context_.ranks;
      const int source = map_.rank_at(position);
      const std::size_t offset =
          call_.known_or([&] { return node_.landing_offsets(position)[node_.self()]; });
      copy_bytes(blocks_.receive_block(source).data, messages.landed(position) + offset,
                 short_bytes_from(source));
    }
  }

  /// With other nodes, and only now that no rank has failed, since a rank that did would leave them
  /// waiting.
  void exchange_long() {
    const int tag = context_.tag(3);
    for (int step = node_.ranks(); step < context_.ranks; ++step) {
      const int rank = map_.rank_at((map_.first(own_node_) + step) % context_.ranks);
      const Block incoming = blocks_.receive_block(rank);
      const ConstBlock outgoing = blocks_.send_block(rank);
      if (incoming.bytes > limit_)
        context_.messages.receive(incoming.data, incoming.bytes, rank, tag);
      if (outgoing.bytes > limit_) context_.messages.send(outgoing.data, outgoing.bytes, rank, tag);
    }
  }

  Call& call_;
  Context& context_;
  const schedule::NodeMap& map_;
  Node& node_;
  const Blocks& blocks_;
  std::size_t limit_;
  int own_node_;
  Neighbours<Blocks> neighbours_;
};

}  // namespace rondo::exchange
