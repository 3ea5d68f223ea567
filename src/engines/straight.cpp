// Sends every block straight to its rank. The schedule sets the order, and how many are in flight.
//
// spread_out:window=k
//   Idea:     post a receive from every rank and a send to every rank, beginning with the nearest
//             above, so that no rank is everybody's first target; wait for all (or after every
//             `window` of them).
//   Source:   HPDC 2022, section 1 and its reference [26] (Kang et al., SC20).
//   Rounds:   P-1 in phases of `window`.
// pairwise
//   Idea:     P-1 exchanges, one after another: with the rank XOR i if P is a power of two, else to
//             the rank i above and from the rank i below.
//   Source:   Thakur, Rabenseifner, Gropp 2005 (HPDC 2022, reference [38]), long messages.
//   Rounds:   P-1, one at a time.
//
// Sent:     every block once.
// Scratch:  requests only.
// Cost:     (P-1) alpha + (bytes sent) beta, no copies.
// Limits:   none.

#include "engines/engines.hpp"
#include "engines/travel.hpp"

namespace rondo::engines {

/// Empty blocks are not sent, since both ranks of a pair know that they are empty.
void straight(Call& call, const Blocks& blocks) {
  Context& context = call.context;
  const int tag = context.tag(0);
  const Travel travel(call);
  copy_own_block(blocks, context.rank);
  travel.schedule().for_each_batch(context.ranks, [&](std::span<const schedule::Round> rounds) {
    for (const schedule::Round& round : rounds) {
      const int source = travel.source(round.hop);
      const Block block = blocks.receive_block(source);
      if (block.bytes != 0) context.messages.receive(block.data, block.bytes, source, tag);
    }
    for (const schedule::Round& round : rounds) {
      const int destination = travel.destination(round.hop);
      const ConstBlock block = blocks.send_block(destination);
      if (block.bytes != 0) context.messages.send(block.data, block.bytes, destination, tag);
    }
    context.messages.wait();
  });
}

}  // namespace rondo::engines
