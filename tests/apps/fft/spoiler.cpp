// Loaded before librondo. Spoils the first number that rank 0 receives in an alltoall.
#include <dlfcn.h>
#include <rondo/rondo.h>

extern "C" __attribute__((visibility("default"))) int Rondo_Alltoall(
    const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm) {
  const auto right =
      reinterpret_cast<decltype(&Rondo_Alltoall)>(dlsym(RTLD_NEXT, "Rondo_Alltoall"));
  const int code = right(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) *static_cast<double*>(recvbuf) += 1e-3;
  return code;
}
