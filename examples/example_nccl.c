/*
 * Every rank, a process with a GPU of its own, sends a number to every other one through a plan of Rondo's.
 *
 *   nvcc example_nccl.c $(pkg-config --cflags --libs rondo-nccl) -lnccl $(mpicc --showme:link) -o example_nccl
 *   mpirun -n 8 ./example_nccl
 */
#include <mpi.h>
#include <rondo/rondo_nccl.h>
#include <stdio.h>
#include <stdlib.h>

/* NCCL's calls, Rondo's among them, return ncclSuccess; CUDA's return cudaSuccess. Both are 0. */
static void require(int code, const char* what) {
  if (code == 0) return;
  fprintf(stderr, "%s failed: %s\n", what, Rondo_nccl_error());
  exit(1);
}

int main(int argc, char** argv) {
  int rank, ranks, devices, i;
  ncclUniqueId id;
  ncclComm_t comm;
  cudaStream_t stream;
  Rondo_nccl_plan plan;
  int *send, *receive, *host;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("rank %d has no GPU\n", rank);
    MPI_Finalize();
    return 77;
  }
  require(cudaSetDevice(rank % devices), "cudaSetDevice");
  require(cudaStreamCreate(&stream), "cudaStreamCreate");
  if (rank == 0) require(ncclGetUniqueId(&id), "ncclGetUniqueId");
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  require(ncclCommInitRank(&comm, ranks, id, rank), "ncclCommInitRank");

  host = malloc((size_t)ranks * sizeof *host);
  require(cudaMalloc((void**)&send, (size_t)ranks * sizeof *send), "cudaMalloc");
  require(cudaMalloc((void**)&receive, (size_t)ranks * sizeof *receive), "cudaMalloc");
  for (i = 0; i < ranks; ++i) host[i] = 100 * rank + i;
  require(cudaMemcpy(send, host, (size_t)ranks * sizeof *send, cudaMemcpyHostToDevice),
          "cudaMemcpy");

  require(Rondo_nccl_plan_create(comm, "graph:nccl_bruck", sizeof *send, NULL, &plan),
          "Rondo_nccl_plan_create");
  require(Rondo_nccl_alltoall(send, receive, 1, ncclInt32, comm, stream, plan),
          "Rondo_nccl_alltoall");
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  require(Rondo_nccl_plan_check(plan), "Rondo_nccl_alltoall");

  require(cudaMemcpy(host, receive, (size_t)ranks * sizeof *host, cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  for (i = 0; i < ranks; ++i)
    if (host[i] != 100 * i + rank) {
      printf("rank %d received %d from rank %d\n", rank, host[i], i);
      return 1;
    }
  printf("rank %d received %d numbers\n", rank, ranks);
  require(Rondo_nccl_plan_destroy(&plan), "Rondo_nccl_plan_destroy");
  require(ncclCommDestroy(comm), "ncclCommDestroy");
  MPI_Finalize();
  return 0;
}
