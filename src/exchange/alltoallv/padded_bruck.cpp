// padded_bruck
//
// Idea:     agree on the largest block, pad all blocks to it, run zero_rotation_bruck, and scan out
//           the real bytes.
// Source:   HPDC 2022, section 3.1.
// Rounds:   K = ceil(log2 P), after an allreduce.
// Sent:     D S bytes.
// Scratch:  2 P S for the padded blocks, P S for the messages of a round.
// Cost:     allreduce + K alpha + D S beta + (2 P + 2 D) S of copies; HPDC 2022, equation (1).
// Limits:   runs spread_out where P S is beyond RONDO_PADDING_BYTES.

#include <limits>

#include "exchange/alltoallv/padding.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoallv {

void padded_bruck(Call& call, const Variable& blocks) {
  constexpr std::size_t kLongest = std::numeric_limits<std::size_t>::max();
  exchange_padded(call, blocks, kLongest,
                  [&](const Uniform& uniform) { alltoall::zero_rotation_bruck(call, uniform); });
}

}  // namespace rondo::exchange::alltoallv
