#include "mpi/collectives.hpp"

#include <array>

#include "base/status.hpp"
#include "mpi/error.hpp"
#include "mpi/messages.hpp"
#include "mpi/progress.hpp"

namespace rondo::mpi {

namespace {

/// Open MPI confuses its nonblocking collectives with those of an MPI_Comm_idup of the same communicator that
/// the program has pending (4.1). What is started goes on in those that wait, too: progress.hpp. SimGrid's
/// nonblocking ones send a message between every two ranks.
#if defined(OPEN_MPI) || defined(SMPI_H)
constexpr bool kWaitsInLibrary = true;
#else
constexpr bool kWaitsInLibrary = false;
#endif

/// Runs the collective that waits, or the one that begins and then waits for its request. `name` is the
/// function's, for errors.
template <class Waiting, class Beginning>
void run_library_collective(const char* name, Waiting&& waiting, Beginning&& beginning) {
  if (kWaitsInLibrary) {
    before_library_call();
    return check(waiting(), name);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(beginning(&request), name);
  wait_for(request);
}

}  // namespace

void broadcast_on(MPI_Comm comm, void* data, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  run_library_collective(
      kWaitsInLibrary ? "MPI_Bcast" : "MPI_Ibcast",
      [&] { return PMPI_Bcast(data, count, MPI_BYTE, 0, comm); },
      [&](MPI_Request* request) { return PMPI_Ibcast(data, count, MPI_BYTE, 0, comm, request); });
}

void reduce_on(MPI_Comm comm, void* values, int count, MPI_Datatype type, MPI_Op operation) {
  run_library_collective(
      kWaitsInLibrary ? "MPI_Allreduce" : "MPI_Iallreduce",
      [&] { return PMPI_Allreduce(MPI_IN_PLACE, values, count, type, operation, comm); },
      [&](MPI_Request* request) {
        return PMPI_Iallreduce(MPI_IN_PLACE, values, count, type, operation, comm, request);
      });
}

void gather_on(MPI_Comm comm, const void* own, void* all, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  run_library_collective(
      kWaitsInLibrary ? "MPI_Allgather" : "MPI_Iallgather",
      [&] { return PMPI_Allgather(own, count, MPI_BYTE, all, count, MPI_BYTE, comm); },
      [&](MPI_Request* request) {
        return PMPI_Iallgather(own, count, MPI_BYTE, all, count, MPI_BYTE, comm, request);
      });
}

void fail_together_on(MPI_Comm comm, const std::optional<Error>& failure,
                      std::span<std::int64_t> numbers) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  // The lower the rank, the greater the number.
  constexpr int kRankBits = 32;
  constexpr std::int64_t kLast = INT32_MAX;
  numbers.front() = failure ? (kLast - rank) << kRankBits | told_of(*failure) : 0;
  reduce_on(comm, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MAX);
  if (failure) throw Error(*failure);
  if (numbers.front() != 0)
    throw failure_elsewhere(static_cast<int>(kLast - (numbers.front() >> kRankBits)),
                            static_cast<int>(numbers.front() & UINT32_MAX));
}

void fail_together_on(MPI_Comm comm, const std::optional<Error>& failure) {
  std::array<std::int64_t, 1> numbers{};
  fail_together_on(comm, failure, numbers);
}

}  // namespace rondo::mpi
