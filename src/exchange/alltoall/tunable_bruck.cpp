// tunable_bruck:radix=r:ports=k (TRA)
//
// Idea:     basic_bruck with digits in radix r instead of bits: fewer hops for a block, more
//           rounds, of which those of one digit are in flight together.
// Source:   TRA paper, section III; its step 3 done out of place. The default radix is the paper's,
//           about the square root of P (section III-B).
// Rounds:   K = w (r-1) - floor((r^w - P) / r^(w-1)), w = ceil(log_r P), in w phases.
// Sent:     D S bytes, D as in Proposition 4.
// Scratch:  P S for the rotated blocks, twice the messages of a batch of `ports` rounds.
// Cost:     K alpha + D S beta + (2 P + 2 D) S of copies.
// Limits:   none.

#include "exchange/alltoall/rotated_bruck.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void tunable_bruck(Call& call, const Uniform& blocks) {
  rotated_bruck(call, blocks);
}

}  // namespace rondo::exchange::alltoall
