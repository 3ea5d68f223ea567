#include "exchange/agreement.hpp"

#include <limits>

#include "exchange/messages.hpp"
#include "exchange/mpi_error.hpp"
#include "exchange/outstanding.hpp"

namespace rondo::exchange {

void send_and_receive(const Circle& circle, int distance, const void* sent, void* received,
                      std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  const int above = (circle.rank + distance) % circle.ranks;
  const int below = (circle.rank - distance + circle.ranks) % circle.ranks;
  MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  check(PMPI_Irecv(received, count, MPI_BYTE, below, circle.tag, circle.comm, &requests[0]),
        "MPI_Irecv");
  const int code = PMPI_Isend(sent, count, MPI_BYTE, above, circle.tag, circle.comm, &requests[1]);
  if (code != MPI_SUCCESS) {
    // The memory that is received is the caller's. Return codes no longer matter.
    PMPI_Cancel(&requests[0]);
    PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  check(code, "MPI_Isend");
  check(wait_for_all(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

/// The parent of a rank is the rank without its lowest bit.
void broadcast(const Circle& circle, std::byte* data, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  const int lowest = circle.rank & -circle.rank;
  MPI_Request requests[std::numeric_limits<int>::digits];
  int sends = 0;
  if (circle.rank != 0) {
    check(PMPI_Irecv(data, count, MPI_BYTE, circle.rank - lowest, circle.tag, circle.comm,
                     &requests[0]),
          "MPI_Irecv");
    wait_for(requests[0]);
  }
  for (int bit = 1; circle.rank + bit < circle.ranks && (circle.rank == 0 || bit < lowest);
       bit *= 2)
    check(PMPI_Isend(data, count, MPI_BYTE, circle.rank + bit, circle.tag, circle.comm,
                     &requests[sends++]),
          "MPI_Isend");
  check(wait_for_all(sends, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

namespace {

/// Open MPI confuses its nonblocking collectives with those of an MPI_Comm_idup of the same communicator that
/// the program has pending (4.1). What is started goes on in those that wait, too: progress_hook.hpp.
#ifdef OPEN_MPI
constexpr bool kWaitsInLibrary = true;
#else
constexpr bool kWaitsInLibrary = false;
#endif

/// Runs the collective that waits, or begin(request) and waits for what it has begun. The names are those of
/// the functions of MPI.
template <class Waiting, class Begin>
void run_on_program(const char* waiting_name, Waiting&& waiting, const char* begin_name,
                    Begin&& begin) {
  if (kWaitsInLibrary) {
    before_library_call();
    return check(waiting(), waiting_name);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(begin(&request), begin_name);
  wait_for(request);
}

}  // namespace

void broadcast_on(MPI_Comm comm, void* data, std::size_t bytes) {
  const int count = static_cast<int>(bytes);
  run_on_program(
      "MPI_Bcast", [&] { return PMPI_Bcast(data, count, MPI_BYTE, 0, comm); },  //
      "MPI_Ibcast",
      [&](auto* request) { return PMPI_Ibcast(data, count, MPI_BYTE, 0, comm, request); });
}

void reduce_on(MPI_Comm comm, void* values, int count, MPI_Datatype type, MPI_Op operation) {
  run_on_program(
      "MPI_Allreduce",
      [&] { return PMPI_Allreduce(MPI_IN_PLACE, values, count, type, operation, comm); },
      "MPI_Iallreduce",
      [&](auto* request) {
        return PMPI_Iallreduce(MPI_IN_PLACE, values, count, type, operation, comm, request);
      });
}

void before_library_calls_on(MPI_Comm comm) {
  run_on_program(
      "", [] { return MPI_SUCCESS; },  //
      "MPI_Ibarrier", [&](auto* request) { return PMPI_Ibarrier(comm, request); });
}

}  // namespace rondo::exchange
