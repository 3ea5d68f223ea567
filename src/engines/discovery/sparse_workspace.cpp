#include "engines/discovery/sparse_workspace.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "base/mix.hpp"
#include "mpi/error.hpp"
#include "mpi/outstanding.hpp"

namespace rondo::engines {

namespace {

/// Returns a number that no other call returns in any process of the job, as good as surely.
std::uint64_t draw_number() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return mix(mix(static_cast<std::uint64_t>(now)) + static_cast<std::uint64_t>(getpid()));
}

}  // namespace

Counters::Counters(MPI_Comm comm) {
  mpi::check(PMPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  std::int64_t* memory = nullptr;
  mpi::check(PMPI_Win_allocate(kParities * sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm,
                               static_cast<void*>(&memory), &window_),
             "MPI_Win_allocate");
  mpi::check(PMPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  mpi::check(PMPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank_, 0, window_), "MPI_Win_lock");
  for (std::size_t i = 0; i < kParities; ++i) memory[i] = 0;
  mpi::check(PMPI_Win_unlock(rank_, window_), "MPI_Win_unlock");
}

void Counters::open() {
  mpi::check(PMPI_Win_lock_all(0, window_), "MPI_Win_lock_all");
}

void Counters::close() {
  PMPI_Win_unlock_all(window_);
  PMPI_Win_free(&window_);
}

void Counters::count(int rank) {
  static const std::int64_t one = 1;
  mpi::check(PMPI_Accumulate(&one, 1, MPI_INT64_T, rank, static_cast<MPI_Aint>(parity()), 1,
                             MPI_INT64_T, MPI_SUM, window_),
             "MPI_Accumulate");
}

void Counters::flush() {
  mpi::check(PMPI_Win_flush_all(window_), "MPI_Win_flush_all");
}

std::int64_t Counters::counted() {
  std::int64_t now = 0;
  const std::int64_t nothing = 0;
  mpi::check(PMPI_Fetch_and_op(&nothing, &now, MPI_INT64_T, rank_, static_cast<MPI_Aint>(parity()),
                               MPI_NO_OP, window_),
             "MPI_Fetch_and_op");
  mpi::check(PMPI_Win_flush(rank_, window_), "MPI_Win_flush");
  return now - std::exchange(known_[parity()], now);
}

void SparseWorkspace::list_sources(std::span<const std::uint64_t> lengths) {
  sources.clear();
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    if (lengths[rank] != 0) sources.push_back({static_cast<int>(rank), lengths[rank]});
}

void SparseWorkspace::make_counters(MPI_Comm comm) {
  if (counters) return;
  mpi::before_library_call();
  std::optional<Counters> made;
  const auto failure = failure_of([&] { made.emplace(comm); });
  // Whether a rank has failed, and the number.
  std::array<std::uint64_t, 2> all = {failure ? 1U : 0U, draw_number()};
  mpi::check(PMPI_Allreduce(MPI_IN_PLACE, all.data(), 2, MPI_UINT64_T, MPI_MAX, comm),
             "MPI_Allreduce");
  if (failure) throw Error(*failure);
  if (all[0] != 0)
    throw Error(ErrorClass::other, "another rank could not make a window; see the error there");
  window_number = all[1];
  made->open();
  counters = made;
}

void SparseWorkspace::close() {
  if (!counters) return;
  mpi::before_library_call();
  counters->close();
  counters.reset();
}

void SparseWorkspace::abandon() {
  for (int round = 0; round < consensus.rounds; ++round) {
    MPI_Request& request = consensus.receives[static_cast<std::size_t>(round)];
    if (request == MPI_REQUEST_NULL) continue;
    // A cancelled receive completes without its sender. Return codes no longer matter.
    PMPI_Cancel(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  consensus.rounds = 0;
  sends.clear();
}

}  // namespace rondo::engines
