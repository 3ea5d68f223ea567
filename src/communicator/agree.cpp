#include "communicator/agree.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "exchange/mpi_error.hpp"

namespace rondo::communicator {

using exchange::check;

void agree_on_failure(exchange::Context& context, const std::optional<Error>& failure) {
  constexpr int kNoRank = INT32_MAX;
  struct {
    int rank;
    int mpi_class;
  } first{kNoRank, 0};
  if (failure) first = {context.rank, exchange::mpi_class_of(*failure)};
  check(PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_2INT, MPI_MINLOC, context.comm),
        "MPI_Allreduce");
  if (failure) throw Error(*failure);
  if (first.rank != kNoRank) throw exchange::failure_elsewhere(first.rank, first.mpi_class);
}

void agree_on_lengths(exchange::Context& context, std::optional<Error> failure,
                      const buffers::Binding& binding) {
  const auto ranks = static_cast<std::size_t>(context.ranks);
  // The ranks agree after the last step that can fail on one rank alone.
  std::span<std::uint64_t> lengths;
  if (!failure)
    failure = failure_of([&] {
      lengths = context.scratch.array<std::uint64_t>(Scratch::kComparedLengths, 2 * ranks);
    });
  agree_on_failure(context, failure);

  const auto sent = lengths.first(ranks);
  const auto arriving = lengths.last(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) sent[rank] = binding.sending().part(rank).bytes;
  check(PMPI_Alltoall(sent.data(), 1, MPI_UINT64_T, arriving.data(), 1, MPI_UINT64_T, context.comm),
        "MPI_Alltoall");

  std::optional<exchange::Lengths> first;
  for (std::size_t rank = 0; rank < ranks && !first; ++rank) {
    const std::uint64_t expected = binding.receive.part(rank).bytes;
    if (arriving[rank] != expected)
      first = exchange::Lengths{static_cast<int>(rank), arriving[rank], expected};
  }
  throw_lowest_mismatch(context, first);
}

/// The lowest receiver with a mismatch broadcasts the details.
void throw_lowest_mismatch(const exchange::Context& context,
                           const std::optional<exchange::Lengths>& own) {
  std::array<std::uint64_t, 3> mismatch{};
  if (own) mismatch = {static_cast<std::uint64_t>(own->source), own->sent, own->expected};
  int receiver = own ? context.rank : context.ranks;
  check(PMPI_Allreduce(MPI_IN_PLACE, &receiver, 1, MPI_INT, MPI_MIN, context.comm),
        "MPI_Allreduce");
  if (receiver == context.ranks) return;
  check(PMPI_Bcast(mismatch.data(), 3, MPI_UINT64_T, receiver, context.comm), "MPI_Bcast");
  throw exchange::Lengths{static_cast<int>(mismatch[0]), mismatch[1], mismatch[2]}.error(receiver);
}

std::size_t agree_on_longest(const exchange::Context& context, const buffers::Binding& binding) {
  std::uint64_t longest = 0;
  for (std::size_t rank = 0; rank < binding.sending().ranks(); ++rank)
    longest = std::max<std::uint64_t>(longest, binding.sending().part(rank).bytes);
  check(PMPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_UINT64_T, MPI_MAX, context.comm),
        "MPI_Allreduce");
  return longest;
}

}  // namespace rondo::communicator
