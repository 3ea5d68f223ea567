// two_layer_bruck:intra=r1:inter=r2:ports=k (TRA2)
//
// Idea:     ranks in node-major order are a torus of N nodes x Q ranks. First a Bruck exchange
//           inside every node brings each block to the rank whose place in the node is the
//           destination's, then a Bruck exchange between nodes brings it there.
// Source:   TRA paper, section IV; hops go up in both layers, and the inter-node destination is
//           ((n + z r2^x) mod N) Q + q. Defaults from section V-B: intra about sqrt(Q), inter = N.
// Rounds:   K(Q, r1) + K(N, r2).
// Sent:     (N D(Q, r1) + Q D(N, r2)) S bytes.
// Scratch:  P S for the rotated blocks, twice the messages of a batch of `ports` rounds.
// Cost:     K1 alpha_intra + K2 alpha_inter + the bytes above, and twice their copies.
// Limits:   none. Nodes of unequal size count as equal parts of Q = gcd(sizes) ranks; Q = 1 is
//           tunable_bruck with radix r2.

#include "exchange/alltoall/rotated_bruck.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void two_layer_bruck(Call& call, const Uniform& blocks) {
  rotated_bruck(call, blocks);
}

}  // namespace rondo::exchange::alltoall
