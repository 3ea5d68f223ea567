// pairwise
//
// Idea:     P-1 exchanges one after the other: with rank XOR i where P is a power of two, else to
//           the rank i above and from the rank i below.
// Source:   Thakur, Rabenseifner, Gropp 2005 (HPDC 2022, reference [38]), long messages.
// Rounds:   P-1, one at a time.
// Sent:     (P-1) S.
// Scratch:  requests only.
// Cost:     (P-1) alpha + (bytes sent) beta, no copies.
// Limits:   none.

#include "exchange/functions.hpp"
#include "exchange/straight.hpp"

namespace rondo::exchange::alltoall {

void pairwise(Call& call, const Uniform& blocks) {
  exchange_straight(call, blocks);
}

}  // namespace rondo::exchange::alltoall
