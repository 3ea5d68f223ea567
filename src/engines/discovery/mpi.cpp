// mpi
//
// Idea:     the MPI library's alltoall tells every rank the lengths of the blocks that come to it.
//           Then every block goes straight to its rank and its place.
// Source:   what programs do without a sparse exchange.
// Rounds:   one MPI_Alltoall and one for the messages.
// Sent:     8 P bytes of lengths, and with k partners k messages.
// Scratch:  16 P bytes.
// Cost:     the alltoall + k alpha + the bytes' beta, no copies.
// Errors:   a rank with wrong arguments sends a mark in place of lengths, and then a consensus tells
//           which rank has failed how. All ranks return the error.
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

constexpr std::uint64_t kFailedLength = UINT64_MAX;

/// Returns the lengths of the blocks that come to this rank, by source.
std::span<const std::uint64_t> exchange_lengths(SparseCall& call) {
  Context& context = call.context;
  const auto ranks = static_cast<std::size_t>(context.ranks);
  const auto both = context.scratch.array<std::uint64_t>(Scratch::kSizes, 2 * ranks);
  const auto sent = both.first(ranks);
  const auto arriving = both.last(ranks);
  std::ranges::fill(sent, call.failure != nullptr ? kFailedLength : 0);
  for (const Destination& destination : call.destinations)
    sent[static_cast<std::size_t>(destination.rank)] = destination.block.bytes;
  mpi::before_library_call();
  mpi::check(PMPI_Alltoall(sent.data(), 1, MPI_UINT64_T, arriving.data(), 1, MPI_UINT64_T,
                           mpi::comm_of(context.transport())),
             "MPI_Alltoall");
  return arriving;
}

}  // namespace

void mpi(SparseCall& call) {
  Context& context = call.context;
  const auto lengths = exchange_lengths(call);
  if (std::ranges::find(lengths, kFailedLength) != lengths.end()) {
    note_failure(call, common_status(context, context.tag(1), own_status(context, call.failure)));
    return;
  }
  sparse_workspace(context).list_sources(lengths);
  exchange_placed(call, 0, context.tag(2));
  context.messages.wait();
}

}  // namespace rondo::engines::discovery
