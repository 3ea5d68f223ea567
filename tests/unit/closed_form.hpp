// Rounds K and blocks D without building a schedule: Propositions 1-4 of the TRA paper.
#pragma once

#include <cstdint>

namespace rondo::model {

// Ranks, nodes and ranks per node are at least 1 and their product is below 2^31; radices are at
// least 2, and above the length of their dimension act as it, as in schedule::bruck.

/// K of bruck(P, r) = w (r - 1) - floor((r^w - P) / r^(w - 1)), w the number of digits of P - 1:
/// Proposition 3, of which Proposition 1 (P = r^w) is a case.
std::int64_t rounds_of_bruck(std::int64_t ranks, std::int64_t radix);

/// Blocks that a rank sends in the round of digit `digit` and value `value`, 0 where there is no
/// such round: Proposition 4.
std::int64_t blocks_of_round(std::int64_t ranks, std::int64_t radix, int digit, std::int64_t value);

/// D of bruck(P, r): the sum of Proposition 4, of which Proposition 2 (P = r^w) is a case.
std::int64_t blocks_of_bruck(std::int64_t ranks, std::int64_t radix);

/// The radices of the two layers of TRA2.
struct LayerRadices {
  std::int64_t intra;
  std::int64_t inter;
};

/// K of two_layer(N, Q, r1, r2) = K(Q, r1) + K(N, r2): TRA paper, section IV.
std::int64_t rounds_of_two_layer(std::int64_t nodes, std::int64_t per_node, LayerRadices radices);

/// D of two_layer(N, Q, r1, r2) = N D(Q, r1) + Q D(N, r2).
std::int64_t blocks_of_two_layer(std::int64_t nodes, std::int64_t per_node, LayerRadices radices);

/// K = D of linear(P, window) and pairwise(P): every block is a round of its own.
std::int64_t rounds_of_linear(std::int64_t ranks);

}  // namespace rondo::model
