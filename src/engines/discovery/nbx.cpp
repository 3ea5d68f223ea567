// nbx:threshold=T
//
// Idea:     every block goes straight to its rank in a synchronous send, which is complete when the
//           receiver has it. A rank whose sends are complete enters a barrier that it can test, and
//           goes on to probe and receive. When the barrier ends, nothing can be on its way any more.
//           The barrier is one of Rondo's own (consensus.hpp), because it also tells every rank
//           whether one has failed. Of a block longer than T only the length goes first; the block
//           follows when its place is known.
// Source:   T. Hoefler, C. Siebert, A. Lumsdaine, Scalable communication protocols for dynamic sparse
//           data exchange, PPoPP 2010, algorithm 3 (NBX).
// Rounds:   one for the messages, ceil(log2 P) for the barrier, one more for long blocks.
// Sent:     with k partners k messages of 8 bytes and the block, ceil(log2 P) of 16 bytes, and the
//           long blocks.
// Scratch:  the short blocks that are sent, and those that arrive; ceil(log2 P) statuses.
// Cost:     (2 + ceil(log2 P)) alpha + k (handling of a message) + the bytes' beta + two copies of
//           each short block.
// Errors:   a rank with wrong arguments sends nothing and reports this in the barrier; all ranks
//           return the error.
// Limits:   none.

#include <sched.h>

#include "engines/discovery/consensus.hpp"
#include "engines/discovery/sparse.hpp"
#include "engines/discovery/straight.hpp"
#include "transport/outstanding.hpp"

namespace rondo::engines::discovery {

void nbx(SparseCall& call) {
  Context& context = call.context;
  Straight messages(call, call.choice.threshold());
  messages.send(Straight::Mode::synchronous);
  Consensus consensus(context, context.tag(1));
  while (true) {
    const bool has_received = messages.receive_if_any();
    if (!consensus.has_begun()) {
      if (messages.has_sent()) consensus.begin(own_status(context, call.failure));
    } else if (consensus.test()) {
      break;
    }
    if (transport::has_outstanding()) transport::advance_outstanding();
    // The rank that this rank waits for may need its core.
    if (!has_received) sched_yield();
  }
  if (!note_failure(call, consensus.wait())) messages.finish();
}

}  // namespace rondo::engines::discovery
