#include "communicator/lengths.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace rondo::communicator {

namespace {

/// A mismatch, and the rank that has found it.
struct Found {
  int receiver;  ///< past the last rank if there is none
  engines::Lengths lengths;
};

}  // namespace

void compare_lengths(engines::Context& context, std::optional<Error> failure,
                     const buffers::Binding& binding) {
  const auto ranks = static_cast<std::size_t>(context.ranks);
  // The ranks agree after the last step that can fail on one rank alone.
  std::span<std::uint64_t> lengths;
  if (!failure)
    failure = failure_of([&] {
      lengths = context.scratch.array<std::uint64_t>(Scratch::kComparedLengths, 2 * ranks);
    });
  mpi::fail_together(context.tagged_comm(), failure);

  const auto arriving = lengths.first(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    arriving[rank] = binding.sending().part(rank).bytes;
  mpi::exchange_integers(context.tagged_comm(), arriving, lengths.last(ranks));

  std::optional<engines::Lengths> first;
  for (std::size_t rank = 0; rank < ranks && !first; ++rank) {
    const std::uint64_t expected = binding.receive.part(rank).bytes;
    if (arriving[rank] != expected)
      first = engines::Lengths{static_cast<int>(rank), arriving[rank], expected};
  }
  throw_lowest_mismatch(context, first);
}

/// The lowest receiver with a mismatch broadcasts the details.
void throw_lowest_mismatch(const engines::Context& context,
                           const std::optional<engines::Lengths>& own) {
  Found first{.receiver = context.ranks, .lengths = {}};
  if (own) first = {context.rank, *own};
  first = mpi::least_of_all(context.tagged_comm(), first, &Found::receiver);
  if (first.receiver != context.ranks) throw first.lengths.error(first.receiver);
}

std::size_t longest_of_any_rank(const engines::Context& context, const buffers::Binding& binding) {
  std::uint64_t longest = 0;
  for (std::size_t rank = 0; rank < binding.sending().ranks(); ++rank)
    longest = std::max<std::uint64_t>(longest, binding.sending().part(rank).bytes);
  return mpi::greatest_of_all(context.tagged_comm(), longest);
}

}  // namespace rondo::communicator
