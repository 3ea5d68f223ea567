// zero_rotation_bruck
//
// Idea:     modified_bruck without its rotation: a block's first hop reads it from the send buffer,
//           through the index (p - i) mod P, every later one from the slot where it will end.
// Source:   HPDC 2022, section 2.1. As printed the first hop and the place of arrival do not
//           fit together; here a block named i leaves from S[p - i] and is kept in R[p + i].
// Rounds:   K = ceil(log2 P).
// Sent:     D S bytes.
// Scratch:  P S for the messages of a round; blocks under way lie in the receive buffer.
// Cost:     K alpha + D S beta + 2 D S of copies.
// Limits:   none.

#include "exchange/alltoall/bruck_rounds.hpp"
#include "exchange/alltoall/rotation.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void zero_rotation_bruck(Call& call, const Uniform& blocks) {
  const Travel travel(call, Travel::Way::downward);
  const auto kept = [&](int name) { return slot(travel, blocks, name); };
  const auto from = [&](const schedule::Round& round, int name) -> const std::byte* {
    return round.is_first_hop(name) ? blocks.send_block(travel.destination(name)).data : kept(name);
  };
  const ConstBlock own = blocks.send_block(call.context.rank);
  copy_bytes(kept(0), own.data, own.bytes);
  run_bruck_rounds(call, travel, blocks.block_bytes, from, kept);
}

}  // namespace rondo::exchange::alltoall
