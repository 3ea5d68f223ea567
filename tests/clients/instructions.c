/* Runs small exchanges of one kind, whose instructions callgrind counts in windows of WINDOW calls.
 *
 *   instructions alltoallv|alltoall|dynamic|plan CALLS BYTES WINDOW */
#include <mpi.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* callgrind writes what it has counted, and begins anew, where this is called. */
void begin_window(void);
__attribute__((noinline)) void begin_window(void) {
  __asm__ volatile("");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* const kind = argc == 5 ? argv[1] : "";
  const int calls = argc == 5 ? atoi(argv[2]) : 0;
  const int bytes = argc == 5 ? atoi(argv[3]) : 0;
  const int window = argc == 5 ? atoi(argv[4]) : 0;
  char* const sent = calloc((size_t)ranks, (size_t)bytes + 1);
  char* const received = calloc((size_t)ranks, (size_t)bytes + 1);
  int* const counts = malloc((size_t)ranks * sizeof *counts);
  int* const displs = malloc((size_t)ranks * sizeof *displs);
  int* const arriving = malloc(2 * (size_t)ranks * sizeof *arriving);
  if (bytes < 1 || window < 1 || sent == NULL || received == NULL || counts == NULL ||
      displs == NULL || arriving == NULL) {
    fprintf(stderr,
            "instructions: needs alltoallv|alltoall|dynamic|plan CALLS BYTES WINDOW, and memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int rank = 0; rank < ranks; ++rank) {
    counts[rank] = bytes;
    displs[rank] = rank * bytes;
  }
  Rondo_Plan plan = RONDO_PLAN_NULL;
  Rondo_Comm_prepare(MPI_COMM_WORLD, MPI_INFO_NULL);
  Rondo_Alltoallv_plan(sent, counts, displs, MPI_BYTE, received, counts, displs, MPI_BYTE,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &plan);
  for (int call = 0; call < calls; ++call) {
    if (call % window == 0) begin_window();
    if (strcmp(kind, "alltoallv") == 0)
      Rondo_Alltoallv(sent, counts, displs, MPI_BYTE, received, counts, displs, MPI_BYTE,
                      MPI_COMM_WORLD);
    else if (strcmp(kind, "alltoall") == 0)
      Rondo_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(kind, "dynamic") == 0)
      Rondo_Alltoallv_dynamic(sent, counts, displs, MPI_BYTE, received, ranks * bytes, arriving,
                              arriving + ranks, MPI_BYTE, MPI_COMM_WORLD);
    else
      Rondo_Execute(plan, sent, received);
  }
  begin_window();
  Rondo_Plan_free(&plan);
  free(arriving);
  free(displs);
  free(counts);
  free(received);
  free(sent);
  MPI_Finalize();
  return 0;
}
