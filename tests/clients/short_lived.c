/* Measures communicators that live for a few exchanges: the time of one, and the shared memory of many.
 *
 *   short_lived COMMUNICATORS CALLS BYTES
 *
 * Prints the milliseconds from the duplication of a communicator to its end (median over all, on the
 * slowest rank), and the KiB of shared memory that the machine holds for each when up to 20 are alive. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static char* sent;
static char* received;

static void fail(const char* what) {
  fprintf(stderr, "short_lived: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_Comm used_duplicate(int calls, int bytes) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int call = 0; call < calls; ++call)
    MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, comm);
  return comm;
}

/* The seconds from the creation of a communicator to its end, on the slowest rank. */
static double lifetime(int calls, int bytes) {
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = -MPI_Wtime();
  MPI_Comm comm = used_duplicate(calls, bytes);
  MPI_Comm_free(&comm);
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

static int by_size(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

/* The KiB of shared memory that the machine holds. */
static long shared_memory(void) {
  char line[256];
  long held = -1;
  FILE* file = fopen("/proc/meminfo", "r");
  if (file == NULL) fail("/proc/meminfo cannot be read");
  while (held < 0 && fgets(line, sizeof line, file) != NULL) sscanf(line, "Shmem: %ld", &held);
  fclose(file);
  return held;
}

static double shared_memory_of_each(int communicators, int calls, int bytes) {
  if (communicators > 20) communicators = 20;
  MPI_Comm* alive = malloc((size_t)communicators * sizeof *alive);
  if (alive == NULL) fail("no memory");
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = shared_memory();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < communicators; ++i) alive[i] = used_duplicate(calls, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const long held = shared_memory() - before;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < communicators; ++i) MPI_Comm_free(&alive[i]);
  free(alive);
  return (double)held / communicators;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) fail("needs COMMUNICATORS CALLS BYTES");
  const int communicators = atoi(argv[1]);
  const int calls = atoi(argv[2]);
  const int bytes = atoi(argv[3]);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sent = calloc((size_t)ranks, (size_t)bytes);
  received = calloc((size_t)ranks, (size_t)bytes);
  double* seconds = calloc((size_t)communicators, sizeof *seconds);
  if (sent == NULL || received == NULL || seconds == NULL) fail("no memory");

  for (int i = 0; i < communicators; ++i) seconds[i] = lifetime(calls, bytes);
  qsort(seconds, (size_t)communicators, sizeof *seconds, by_size);
  const double kibibytes = shared_memory_of_each(communicators, calls, bytes);
  if (rank == 0) printf("%.4f %.1f\n", 1e3 * seconds[communicators / 2], kibibytes);

  free(seconds);
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
