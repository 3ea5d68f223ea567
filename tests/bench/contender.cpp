// What --contender loads: every exchange, by MPI or Rondo. With CONTENDER_SPOILS in the environment, the
// first byte of both buffers of rank 1 is wrong after each call of contender_alltoallv.
#include <mpi.h>
#include <rondo/rondo.h>

#include <cstdlib>

#define CONTENDER extern "C" __attribute__((visibility("default"))) int

CONTENDER contender_alltoall(const void* to, int sent, MPI_Datatype type, void* from, int received,
                             MPI_Datatype other, MPI_Comm comm) {
  return MPI_Alltoall(to, sent, type, from, received, other, comm);
}

CONTENDER contender_alltoallv(const void* to, const int* sent, const int* there, MPI_Datatype type,
                              void* from, const int* received, const int* here, MPI_Datatype other,
                              MPI_Comm comm) {
  const int code = MPI_Alltoallv(to, sent, there, type, from, received, here, other, comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (std::getenv("CONTENDER_SPOILS") != nullptr && rank == 1) {
    *static_cast<char*>(from) ^= 1;
    *static_cast<char*>(const_cast<void*>(to)) ^= 1;
  }
  return code;
}

CONTENDER contender_alltoallw(const void* to, const int* sent, const int* there,
                              const MPI_Datatype* types, void* from, const int* received,
                              const int* here, const MPI_Datatype* others, MPI_Comm comm) {
  return MPI_Alltoallw(to, sent, there, types, from, received, here, others, comm);
}

CONTENDER contender_ialltoall(const void* to, int sent, MPI_Datatype type, void* from, int received,
                              MPI_Datatype other, MPI_Comm comm, MPI_Request* request) {
  return MPI_Ialltoall(to, sent, type, from, received, other, comm, request);
}

CONTENDER contender_ialltoallv(const void* to, const int* sent, const int* there, MPI_Datatype type,
                               void* from, const int* received, const int* here, MPI_Datatype other,
                               MPI_Comm comm, MPI_Request* request) {
  return MPI_Ialltoallv(to, sent, there, type, from, received, here, other, comm, request);
}

CONTENDER contender_ialltoallw(const void* to, const int* sent, const int* there,
                               const MPI_Datatype* types, void* from, const int* received,
                               const int* here, const MPI_Datatype* others, MPI_Comm comm,
                               MPI_Request* request) {
  return MPI_Ialltoallw(to, sent, there, types, from, received, here, others, comm, request);
}

CONTENDER contender_neighbor_alltoall(const void* to, int sent, MPI_Datatype type, void* from,
                                      int received, MPI_Datatype other, MPI_Comm comm) {
  return MPI_Neighbor_alltoall(to, sent, type, from, received, other, comm);
}

CONTENDER contender_neighbor_alltoallv(const void* to, const int* sent, const int* there,
                                       MPI_Datatype type, void* from, const int* received,
                                       const int* here, MPI_Datatype other, MPI_Comm comm) {
  return MPI_Neighbor_alltoallv(to, sent, there, type, from, received, here, other, comm);
}

CONTENDER contender_neighbor_alltoallw(const void* to, const int* sent, const MPI_Aint* there,
                                       const MPI_Datatype* types, void* from, const int* received,
                                       const MPI_Aint* here, const MPI_Datatype* others,
                                       MPI_Comm comm) {
  return MPI_Neighbor_alltoallw(to, sent, there, types, from, received, here, others, comm);
}

CONTENDER contender_alltoallv_dynamic(const void* to, const int* sent, const int* there,
                                      MPI_Datatype type, void* from, int capacity, int* received,
                                      int* here, MPI_Datatype other, MPI_Comm comm) {
  return Rondo_Alltoallv_dynamic(to, sent, there, type, from, capacity, received, here, other,
                                 comm);
}

CONTENDER contender_sparse_alltoallv(const void* to, int count, const int* ranks, const int* sent,
                                     const int* there, MPI_Datatype type, void* from, int capacity,
                                     MPI_Datatype other, Rondo_Sources* sources, MPI_Comm comm) {
  return Rondo_Sparse_alltoallv(to, count, ranks, sent, there, type, from, capacity, other, sources,
                                comm);
}
