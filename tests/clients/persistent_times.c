/* Measures a persistent request with Rondo's component against Open MPI's own.
 *
 *   RONDO_NONBLOCKING=1 mpirun -n 8 rondo-exec --via component persistent_times BYTES [ROUNDS [STARTS]]
 *
 * Both are requests of one process for the same alltoallv with blocks of BYTES: the second has an info that asks for
 * the MPI library. They take turns of STARTS starts, in an order that alternates. Prints the microseconds from
 * MPI_Start to the end of MPI_Wait, on the slowest rank: the median over the rounds and the quartiles, and the median
 * of the ratios of neighbouring turns. */
#include <mpi.h>

#include <mpi-ext.h> /* needs mpi.h */
#include <stdio.h>
#include <stdlib.h>

enum { WAYS = 2, MOST_ROUNDS = 1000 };

static void fail(const char* what) {
  fprintf(stderr, "persistent_times: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int by_size(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

static double quantile(double* values, int count, double part) {
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[(int)(part * (count - 1) + 0.5)];
}

/* The microseconds of a start, on the slowest rank. */
static double turn(MPI_Request* request, int starts) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  for (int n = 0; n < starts; ++n) {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds / starts * 1e6;
}

int main(int argc, char** argv) {
  static double times[WAYS][MOST_ROUNDS], ratios[MOST_ROUNDS];
  static const char* const kNames[WAYS] = {"component", "Open MPI"};
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argc > 1 ? atoi(argv[1]) : 0;
  const int rounds = argc > 2 ? atoi(argv[2]) : 100;
  const int starts = argc > 3 ? atoi(argv[3]) : 100;
  if (argc < 2 || rounds < 1 || rounds > MOST_ROUNDS || starts < 1)
    fail("needs BYTES [ROUNDS [STARTS]]");
  int* counts = malloc((size_t)ranks * sizeof *counts);
  int* displs = malloc((size_t)ranks * sizeof *displs);
  char* sent = calloc((size_t)ranks, (size_t)bytes + 1);
  char* received = calloc((size_t)ranks, (size_t)bytes + 1);
  if (counts == NULL || displs == NULL || sent == NULL || received == NULL) fail("no memory");
  for (int q = 0; q < ranks; ++q) counts[q] = bytes, displs[q] = q * bytes;
  MPI_Info of_library;
  MPI_Info_create(&of_library);
  MPI_Info_set(of_library, "rondo_alltoallv", "mpi");
  MPI_Request requests[WAYS];
  for (int way = 0; way < WAYS; ++way)
    MPIX_Alltoallv_init(sent, counts, displs, MPI_BYTE, received, counts, displs, MPI_BYTE,
                        MPI_COMM_WORLD, way == 0 ? MPI_INFO_NULL : of_library, &requests[way]);
  for (int round = -3; round < rounds; ++round) /* three to warm up */
    for (int i = 0; i < WAYS; ++i) {
      const int way = round % 2 == 0 ? i : 1 - i;
      const double microseconds = turn(&requests[way], starts);
      if (round >= 0) times[way][round] = microseconds;
    }
  for (int round = 0; round < rounds; ++round) ratios[round] = times[1][round] / times[0][round];
  for (int way = 0; way < WAYS && rank == 0; ++way)
    printf("%-9s %9.2f us (%.2f to %.2f)\n", kNames[way], quantile(times[way], rounds, 0.5),
           quantile(times[way], rounds, 0.25), quantile(times[way], rounds, 0.75));
  if (rank == 0) printf("ratio     %9.2f\n", quantile(ratios, rounds, 0.5));
  for (int way = 0; way < WAYS; ++way) MPI_Request_free(&requests[way]);
  MPI_Info_free(&of_library);
  free(counts);
  free(displs);
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
