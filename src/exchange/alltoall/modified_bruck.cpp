// modified_bruck
//
// Idea:     send down instead of up, and rotate the other way first: then every block lies all the
//           way in the slot where it must end, and no final rotation is needed.
// Source:   HPDC 2022, section 2.1, after Traff et al. 2014.
// Rounds:   K = ceil(log2 P).
// Sent:     D S bytes.
// Scratch:  P S for the messages of a round; the blocks lie in the receive buffer.
// Cost:     K alpha + D S beta + (P + 2 D) S of copies.
// Limits:   none.

#include "exchange/alltoall/bruck_rounds.hpp"
#include "exchange/alltoall/rotation.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void modified_bruck(Call& call, const Uniform& blocks) {
  const Travel travel(call, Travel::Way::downward);
  const auto kept = [&](int name) { return slot(travel, blocks, name); };
  rotate_to_slots(travel, blocks);
  run_bruck_rounds(
      call, travel, blocks.block_bytes,
      [&](const schedule::Round&, int name) { return kept(name); }, kept);
}

}  // namespace rondo::exchange::alltoall
