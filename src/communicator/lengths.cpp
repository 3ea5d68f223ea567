#include "communicator/agree.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "mpi/error.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

struct FailedRank {
  int rank;
  int mpi_class;
};

/// A mismatch, and the rank that has found it.
struct Found {
  int receiver;  ///< past the last rank if there is none
  engines::Lengths lengths;
};

}  // namespace

void agree_on_failure(engines::Context& context, const std::optional<Error>& failure) {
  constexpr int kNoRank = INT32_MAX;
  FailedRank first{kNoRank, 0};
  if (failure) first = {context.rank, mpi::mpi_class_of(*failure)};
  first = mpi::least_of_all(context.tagged_comm(), first, &FailedRank::rank);
  if (failure) throw Error(*failure);
  if (first.rank != kNoRank) throw mpi::failure_elsewhere(first.rank, first.mpi_class);
}

void agree_on_greatest(MPI_Comm comm, const std::optional<Error>& failure,
                       std::span<std::int64_t> numbers) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  // The lower the rank, the greater the number.
  constexpr int kRankBits = 32;
  constexpr std::int64_t kLast = INT32_MAX;
  numbers.front() = failure ? (kLast - rank) << kRankBits | mpi::mpi_class_of(*failure) : 0;
  mpi::reduce_on(comm, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MAX);
  if (failure) throw Error(*failure);
  if (numbers.front() != 0)
    throw mpi::failure_elsewhere(static_cast<int>(kLast - (numbers.front() >> kRankBits)),
                                 static_cast<int>(numbers.front() & UINT32_MAX));
}

void agree_on_failure(MPI_Comm comm, const std::optional<Error>& failure) {
  std::array<std::int64_t, 1> numbers{};
  agree_on_greatest(comm, failure, numbers);
}

void agree_on_lengths(engines::Context& context, std::optional<Error> failure,
                      const buffers::Binding& binding) {
  const auto ranks = static_cast<std::size_t>(context.ranks);
  // The ranks agree after the last step that can fail on one rank alone.
  std::span<std::uint64_t> lengths;
  if (!failure)
    failure = failure_of([&] {
      lengths = context.scratch.array<std::uint64_t>(Scratch::kComparedLengths, 2 * ranks);
    });
  agree_on_failure(context, failure);

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

void require_progress(MPI_Comm comm, const std::string& progress) {
  if (progress.empty()) return;
  int level = MPI_THREAD_SINGLE;
  check(PMPI_Query_thread(&level), "MPI_Query_thread");
  mpi::reduce_on(comm, &level, 1, MPI_INT, MPI_MIN);
  if (level != MPI_THREAD_MULTIPLE)
    throw Error(
        ErrorClass::argument,
        "RONDO_PROGRESS=thread needs MPI_THREAD_MULTIPLE, and MPI was initialised without it "
        "on some rank; request it from MPI_Init_thread, or unset RONDO_PROGRESS");
}

std::size_t agree_on_longest(const engines::Context& context, const buffers::Binding& binding) {
  std::uint64_t longest = 0;
  for (std::size_t rank = 0; rank < binding.sending().ranks(); ++rank)
    longest = std::max<std::uint64_t>(longest, binding.sending().part(rank).bytes);
  return mpi::greatest_of_all(context.tagged_comm(), longest);
}

}  // namespace rondo::communicator
