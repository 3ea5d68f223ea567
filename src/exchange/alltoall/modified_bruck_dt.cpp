// modified_bruck_dt
//
// Idea:     modified_bruck with an MPI datatype that describes the blocks of a round.
// Source:   HPDC 2022, section 2.2 (ModifiedBruck-dt), after Traff et al. 2014.
// Rounds:   K = ceil(log2 P).
// Sent:     D S bytes.
// Scratch:  P S for what arrives; two datatypes a round.
// Cost:     K alpha + D S beta + (P + D) S of copies + the library's packing.
// Limits:   none.

#include "exchange/alltoall/datatype_rounds.hpp"
#include "exchange/alltoall/rotation.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void modified_bruck_dt(Call& call, const Uniform& blocks) {
  const Travel travel(call, Travel::Way::downward);
  rotate_to_slots(travel, blocks);
  run_datatype_rounds(call, travel, blocks.block_bytes,
                      [&](int name) { return slot(travel, blocks, name); });
}

}  // namespace rondo::exchange::alltoall
