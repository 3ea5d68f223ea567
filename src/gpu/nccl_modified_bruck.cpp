// nccl_modified_bruck
//
// Idea:     blocks travel down and lie where they must end, so that no final rotation is needed.
// Source:   HPC Asia 2024, section 2.2, after Traff et al. 2014.
// Rounds:   K = ceil(log2 P), one after the other.
// Sent:     D S bytes.
// Scratch:  2 P S; blocks lie in the receive buffer.
// Cost:     P + 2 D copies and K groups, each of them a launch, as published.
// Limits:   blocks of equal length.

#include "gpu/published_bruck.hpp"

namespace rondo::gpu {

std::unique_ptr<Exchange> make_nccl_modified_bruck(const Setup& setup) {
  return make_published_bruck(setup, Way::downward);
}

}  // namespace rondo::gpu
