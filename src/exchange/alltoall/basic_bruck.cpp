// basic_bruck
//
// Idea:     rotate the blocks so that block i is the one to the rank i above; in round k send the
//           blocks whose bit k is set 2^k ranks up; rotate back.
// Source:   HPDC 2022, section 2.1, steps (1)-(3); step (3) done out of place, as
//           R'[i] = R[(p - i) mod P].
// Rounds:   K = ceil(log2 P).
// Sent:     D S bytes, D <= (P/2) log2 P.
// Scratch:  P S for the rotated blocks, P S for the messages of a round.
// Cost:     K alpha + D S beta + (2 P + 2 D) S of copies.
// Limits:   none.

#include "exchange/alltoall/rotated_bruck.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void basic_bruck(Call& call, const Uniform& blocks) {
  rotated_bruck(call, blocks);
}

}  // namespace rondo::exchange::alltoall
