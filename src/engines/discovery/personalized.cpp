// personalized:threshold=T
//
// Idea:     every rank has a one in a vector of P counters for each rank to which it sends. The sum
//           of the vectors, of which each rank gets its own entry, is the number of messages that
//           come to it. Then blocks go straight to their ranks, and each rank receives as many
//           messages as it was told. Of a block longer than T only the length goes first; the block
//           follows when its place is known.
// Source:   T. Hoefler, C. Siebert, A. Lumsdaine, Scalable communication protocols for dynamic sparse
//           data exchange, PPoPP 2010, algorithm 2 (PCX, personalized census).
// Rounds:   one MPI_Reduce_scatter_block, one for the messages, one more for long blocks.
// Sent:     the reduction's 8 P bytes, and with k partners k messages of 8 bytes and the block.
// Scratch:  8 P bytes; the short blocks that are sent, and those that arrive.
// Cost:     the reduction + k alpha + the bytes' beta + two copies of each short block.
// Errors:   a rank with wrong arguments reports this in the reduction, which tells all ranks that
//           one has failed, and then a consensus tells which. All ranks return the error.
// Limits:   none.

#include <algorithm>

#include "engines/discovery/consensus.hpp"
#include "engines/discovery/sparse.hpp"
#include "engines/discovery/straight.hpp"
#include "mpi/error.hpp"
#include "mpi/progress.hpp"
#include "mpi/transport.hpp"

namespace rondo::engines::discovery {

namespace {

/// A failed rank adds this to all counters, which can only be reached so.
constexpr std::int64_t kFailedSum = std::int64_t{1} << 32;

/// Returns how many ranks have a block for this one, or at least kFailedSum if a rank has failed.
std::int64_t sum_for_this_rank(SparseCall& call) {
  Context& context = call.context;
  const auto sums =
      context.scratch.array<std::int64_t>(Scratch::kSizes, static_cast<std::size_t>(context.ranks));
  std::ranges::fill(sums, call.failure != nullptr ? kFailedSum : 0);
  for (const Destination& destination : call.destinations)
    if (destination.rank != context.rank) sums[static_cast<std::size_t>(destination.rank)] = 1;
  std::int64_t sum = 0;
  mpi::before_library_call();
  mpi::check(PMPI_Reduce_scatter_block(sums.data(), &sum, 1, MPI_INT64_T, MPI_SUM,
                                       mpi::comm_of(context.transport())),
             "MPI_Reduce_scatter_block");
  return sum;
}

}  // namespace

void personalized(SparseCall& call) {
  Context& context = call.context;
  const std::int64_t arriving = sum_for_this_rank(call);
  if (arriving >= kFailedSum) {
    note_failure(call, common_status(context, context.tag(1), own_status(context, call.failure)));
    return;
  }
  Straight messages(call, call.choice.threshold());
  messages.send(Straight::Mode::standard);
  messages.receive(arriving);
  messages.finish();
}

}  // namespace rondo::engines::discovery
