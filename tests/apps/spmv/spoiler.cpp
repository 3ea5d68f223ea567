// Loaded before the MPI library: the first number that a rank receives by MPI_Neighbor_alltoallv is wrong.
#include <mpi.h>

extern "C" __attribute__((visibility("default"))) int MPI_Neighbor_alltoallv(
    const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm) {
  const int code = PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                           recvcounts, rdispls, recvtype, comm);
  if (recvcounts[0] > 0) static_cast<double*>(recvbuf)[rdispls[0]] += 1e-6;
  return code;
}
