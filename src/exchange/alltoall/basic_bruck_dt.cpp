// basic_bruck_dt
//
// Idea:     basic_bruck with an MPI datatype that describes the blocks of a round, so that the
//           library packs.
// Source:   HPDC 2022, section 2.2 (BasicBruck-dt).
// Rounds:   K = ceil(log2 P).
// Sent:     D S bytes.
// Scratch:  P S for the rotated blocks, P S for what arrives; two datatypes a round.
// Cost:     K alpha + D S beta + (2 P + D) S of copies + the library's packing.
// Limits:   none.

#include "exchange/alltoall/datatype_rounds.hpp"
#include "exchange/alltoall/rotation.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void basic_bruck_dt(Call& call, const Uniform& blocks) {
  const Travel travel(call, Travel::Way::upward);
  const std::size_t bytes = blocks.block_bytes;
  std::byte* const work = call.context.scratch.bytes(
      Scratch::kWork, checked_multiply(static_cast<std::size_t>(call.context.ranks), bytes));
  rotate_in(travel, blocks, work);
  run_datatype_rounds(call, travel, bytes,
                      [&](int name) { return work + static_cast<std::size_t>(name) * bytes; });
  rotate_out(travel, work, blocks);
}

}  // namespace rondo::exchange::alltoall
