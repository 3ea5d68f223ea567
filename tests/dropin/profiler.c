/* A profiler as many are: it stands before the MPI library, and counts what the program calls. Rank 0 prints the
 * numbers in MPI_Finalize: the program's calls of MPI_Alltoallv, and calls that an all-to-all exchange may consist
 * of. */
#include <mpi.h>
#include <stdio.h>

static long exchanges = 0;
static long others = 0;

int MPI_Alltoallv(const void* send, const int send_counts[], const int send_displs[],
                  MPI_Datatype send_type, void* receive, const int receive_counts[],
                  const int receive_displs[], MPI_Datatype receive_type, MPI_Comm comm) {
  ++exchanges;
  return PMPI_Alltoallv(send, send_counts, send_displs, send_type, receive, receive_counts,
                        receive_displs, receive_type, comm);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++others;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++others;
  return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  ++others;
  return PMPI_Comm_split(comm, color, key, made);
}

int MPI_Finalize(void) {
  long own[] = {exchanges, others};
  long all[] = {0, 0};
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(own, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) fprintf(stderr, "profiler: %ld of MPI_Alltoallv, %ld others\n", all[0], all[1]);
  return PMPI_Finalize();
}
