// MPI Advance (locality_aware) as a contender of rondo-bench. Its algorithms are chosen when this is compiled.
#include <locality_aware.h>
#include <stdlib.h>

#ifndef ALLTOALL
#define ALLTOALL ALLTOALL_NODE_AWARE_NONBLOCKING
#endif
#ifndef ALLTOALLV
#define ALLTOALLV ALLTOALLV_NONBLOCKING
#endif
#ifndef NEIGHBOR
#define NEIGHBOR NEIGHBOR_ALLTOALLV_INIT_STANDARD
#endif

static MPIL_Comm* own;

int contender_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  if (own == NULL) {
    MPIL_Comm_init(&own, comm);
    MPIL_Comm_topo_init(own);
    MPIL_Comm_leader_init(own, 2);
    MPIL_Set_alltoall_algorithm(ALLTOALL);
  }
  return MPIL_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, own);
}

int contender_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                        const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  if (own == NULL) {
    MPIL_Comm_init(&own, comm);
    MPIL_Set_alltoallv_algorithm(ALLTOALLV);
  }
  return MPIL_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                        recvtype, own);
}

static void connect(MPI_Comm comm) {
  int from, to, weighted;
  MPI_Dist_graph_neighbors_count(comm, &from, &to, &weighted);
  int* ranks = calloc((size_t)(2 * (from + to) + 1), sizeof(int));
  int* weights = ranks + from + to;
  MPI_Dist_graph_neighbors(comm, from, ranks, weights, to, ranks + from, weights + from);
  MPIL_Info* info;
  MPIL_Info_init(&info);
  MPIL_Dist_graph_create_adjacent(comm, from, ranks, weights, to, ranks + from, weights + from,
                                  info, 0, &own);
  MPIL_Comm_topo_init(own);
  MPIL_Set_alltoallv_neighbor_init_alogorithm(NEIGHBOR);
}

// Persistent. The first call makes the request for its arguments, so measure one length in a run.
int contender_neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                 const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  static MPIL_Request* request;
  if (request == NULL) {
    MPIL_Info* info;
    MPIL_Info_init(&info);
    connect(comm);
    MPIL_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                 rdispls, recvtype, own, info, &request);
  }
  MPIL_Start(request);
  return MPIL_Wait(request, MPI_STATUS_IGNORE);
}
