// Blocks longer than a limit, which go straight to their ranks.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "engines/context.hpp"
#include "engines/mismatch.hpp"
#include "schedule/node_map.hpp"

namespace rondo::engines {

/// The long blocks that this rank sends and receives in one exchange. First all are added, in any
/// order; then they are exchanged in the order of schedule::straight_step().
///
/// At most Limits::long_in_flight of each are in flight together. With thousands, the MPI library
/// searches long lists for every message, and the network's queues overflow: LAMMPS on 64 nodes took
/// 399 s with all messages of an exchange at once and 89 s with a throttle (pmodels/mpich 7593). The
/// number is that of MPICH's own throttle, MPIR_CVAR_ALLTOALL_THROTTLE.
class LongBlocks {
 public:
  LongBlocks(Context& context, int tag) : context_(context), tag_(tag) {}

  void receive(std::byte* data, std::size_t bytes, int source) {
    add(receives_, Scratch::kLongReceives, {data, bytes, source});
  }

  void send(const ConstBlock& block, int destination) {
    add(sends_, Scratch::kLongSends,
        {const_cast<std::byte*>(block.data), block.bytes, destination});
  }

  void exchange() {
    if (receives_.count + sends_.count == 0) return;
    const auto step_from = [&](int rank) {
      return schedule::straight_step(context_.nodes, rank, context_.rank);
    };
    const auto step_to = [&](int rank) {
      return schedule::straight_step(context_.nodes, context_.rank, rank);
    };
    std::ranges::sort(receives_.all(), {}, [&](const transport::Transfer& one) {
      return std::pair(step_from(one.rank), one.rank);
    });
    std::ranges::sort(sends_.all(), {},
                      [&](const transport::Transfer& one) { return step_to(one.rank); });
    context_.messages.exchange(receives_.all(), sends_.all(), tag_, context_.limits.long_in_flight);
  }

 private:
  struct List {
    std::span<transport::Transfer> memory;
    std::size_t count = 0;

    std::span<transport::Transfer> all() const { return memory.first(count); }
  };

  void add(List& list, Scratch::Purpose purpose, const transport::Transfer& transfer) {
    if (list.count == 0)
      list.memory = context_.scratch.array<transport::Transfer>(
          purpose, static_cast<std::size_t>(context_.ranks));
    list.memory[list.count++] = transfer;
  }

  Context& context_;
  int tag_;
  List receives_;
  List sends_;
};

/// Exchanges every block longer than `limit` with its rank. A length is the one that this rank
/// expects, unless `mismatch` has seen another.
inline void exchange_long_blocks(Context& context, const Blocks& blocks, std::size_t limit,
                                 Mismatch& mismatch) {
  LongBlocks long_blocks(context, context.tag(3));
  for (int peer = 0; peer < context.ranks; ++peer) {
    if (peer == context.rank) continue;
    const Block place = blocks.receive_block(peer);
    const std::size_t bytes = mismatch.sent_by(peer, place.bytes);
    if (bytes > limit) long_blocks.receive(mismatch.place_for(bytes, place), bytes, peer);
    const ConstBlock block = blocks.send_block(peer);
    if (block.bytes > limit) long_blocks.send(block, peer);
  }
  long_blocks.exchange();
}

}  // namespace rondo::engines
