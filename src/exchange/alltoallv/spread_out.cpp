// spread_out
//
// Idea:     post a receive from every rank and a send to every rank, starting with the nearest
//           above, so that no rank is everybody's first target; wait for all (or for every
//           `window` of them).
// Source:   HPDC 2022, section 1 and its reference [26] (Kang et al., SC20).
// Rounds:   P-1 in phases of `window`.
// Sent:     every block once.
// Scratch:  requests only.
// Cost:     (P-1) alpha + (bytes sent) beta, no copies.
// Limits:   none.

#include "exchange/functions.hpp"
#include "exchange/straight.hpp"

namespace rondo::exchange::alltoallv {

void spread_out(Call& call, const Variable& blocks) {
  exchange_straight(call, blocks);
}

}  // namespace rondo::exchange::alltoallv
