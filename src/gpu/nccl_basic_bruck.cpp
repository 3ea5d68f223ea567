// nccl_basic_bruck
//
// Idea:     rotate the blocks, send those whose bit k is set 2^k ranks up in round k, rotate back.
// Source:   HPC Asia 2024, Algorithm 2, with the slips of its pseudo-code mended.
// Rounds:   K = ceil(log2 P), one after the other.
// Sent:     D S bytes, D <= (P/2) log2 P.
// Scratch:  3 P S.
// Cost:     2 P + 2 D copies and K groups, each of them a launch, as published.
// Limits:   blocks of equal length.

#include "gpu/published_bruck.hpp"

namespace rondo::gpu {

std::unique_ptr<Exchange> make_nccl_basic_bruck(const Setup& setup) {
  return make_published_bruck(setup, Way::upward);
}

}  // namespace rondo::gpu
