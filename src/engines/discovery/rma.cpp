// rma:threshold=T
//
// Idea:     every rank has a counter that the others can reach. A rank adds one to the counters of
//           the ranks to which it sends. When all have done so, the counter says how many messages
//           come. Two counters take turns: the first additions of the next exchange may come before
//           a rank has read the counter of this one. They are never set back; a rank remembers what
//           it has read. Then as `personalized`.
// Source:   T. Hoefler, C. Siebert, A. Lumsdaine, Scalable communication protocols for dynamic sparse
//           data exchange, PPoPP 2010, algorithm 4 (RSX, one-sided census).
// Rounds:   the additions, ceil(log2 P) for a barrier, one for the messages, one more for long blocks.
// Sent:     with k partners k MPI_Accumulate of 8 bytes, ceil(log2 P) messages of 16 bytes, and k
//           messages of 8 bytes and the block.
// Scratch:  a window of 16 bytes, made when the algorithm is chosen and freed with the communicator;
//           the short blocks that are sent, and those that arrive.
// Cost:     k accumulates + (2 + ceil(log2 P)) alpha + the bytes' beta + two copies of each short
//           block.
// Errors:   a rank with wrong arguments adds nothing and reports this in the barrier; all ranks return
//           the error. If the window cannot be made, all ranks return the MPI library's error when
//           the algorithm is chosen.
// Limits:   those of the MPI library's one-sided communication. Some need MPI calls at the rank whose
//           counter is reached. Open MPI 4.1 (osc/rdma) names a window's file by the number of its
//           communicator, so disjoint communicators that have one number on one node must not make
//           their windows at the same time.

#include "engines/discovery/consensus.hpp"
#include "engines/discovery/engines.hpp"
#include "engines/discovery/straight.hpp"

namespace rondo::engines::discovery {

void rma(SparseCall& call) {
  Context& context = call.context;
  auto& counters = context.sparse.counters;  // made when the algorithm was chosen
  counters->begin();
  for (const Destination& destination : call.destinations)
    if (destination.rank != context.rank) counters->count(destination.rank);
  counters->flush();
  const Status status = status_of_all(context, context.tag(1), own_status(context, call.failure));
  // The counter must be read in any case: the next exchange of this parity starts from it.
  const std::int64_t arriving = counters->counted();
  if (note_failure(call, status)) return;
  Straight messages(call, call.choice.threshold());
  messages.send(Straight::Mode::standard);
  messages.receive(arriving);
  messages.finish();
}

}  // namespace rondo::engines::discovery
