// Loaded before the MPI library: in the calls of MPI_Alltoallv that SPOIL_CALLS has (from 1, as in 1,3),
// one byte that rank 0 receives is wrong. All calls of the last rank take SPOIL_MILLISECONDS longer.
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

bool is_spoilt(int call) {
  const char* const calls = std::getenv("SPOIL_CALLS");
  const std::string list = std::string(",") + (calls != nullptr ? calls : "") + ",";
  return list.find("," + std::to_string(call) + ",") != std::string::npos;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Alltoallv(
    const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm) {
  static int calls = 0;
  const int code = PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                  rdispls, recvtype, comm);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const char* const longer = std::getenv("SPOIL_MILLISECONDS");
  if (longer != nullptr && rank == ranks - 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(longer)));
  if (!is_spoilt(++calls) || rank != 0) return code;
  // The longest block is not empty, of which the first may be.
  int source = 0;
  if (recvcounts[1] > recvcounts[0]) source = 1;
  static_cast<unsigned char*>(recvbuf)[rdispls[source]] ^= 1;
  return code;
}
