#include "mpi/transport.hpp"

#include <array>

#include "mpi/error.hpp"

namespace rondo::mpi {

namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  check(PMPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

}  // namespace

Transport::Transport(MPI_Comm comm)
    : transport::Transport(rank_in(comm), size_of(comm)), comm_(comm) {}

/// The other ranks wait for each send, whichever of them fails here. If one does, the receives are cancelled, since
/// their memory is the caller's.
void Transport::exchange_at_once(std::span<const Transfer> receives,
                                 std::span<const Transfer> sends, int tag) {
  std::array<MPI_Request, 2 * kMostAtOnce> requests;
  int count = 0;
  int receive_code = MPI_SUCCESS;
  int send_code = MPI_SUCCESS;
  for (const Transfer& one : receives) {
    receive_code = PMPI_Irecv(one.data, static_cast<int>(one.bytes), MPI_BYTE, one.rank, tag, comm_,
                              &requests[static_cast<std::size_t>(count)]);
    if (receive_code != MPI_SUCCESS) break;
    ++count;
  }
  const int received = count;
  for (const Transfer& one : sends) {
    const int code = PMPI_Isend(one.data, static_cast<int>(one.bytes), MPI_BYTE, one.rank, tag,
                                comm_, &requests[static_cast<std::size_t>(count)]);
    if (code == MPI_SUCCESS)
      ++count;
    else
      send_code = code;
  }
  if (send_code != MPI_SUCCESS || receive_code != MPI_SUCCESS) {
    // Return codes no longer matter.
    for (MPI_Request& request : std::span(requests).first(static_cast<std::size_t>(received))) {
      PMPI_Cancel(&request);
      PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  check(receive_code, "MPI_Irecv");
  check(send_code, "MPI_Isend");
  check(wait_for_all(count, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

}  // namespace rondo::mpi
