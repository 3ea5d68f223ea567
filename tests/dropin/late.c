/* Makes exchanges to which ranks come late in a known way, and measures by hand how long each waits for the last one.
 *
 * late PATTERN CALLS MICROSECONDS    PATTERN: one = rank 0 is always late, turn = another rank in every call,
 *                                    apart = rank r is r times as late, never = none is
 *
 * Prints the waiting and the time in exchanges, both summed over the ranks of MPI_COMM_WORLD, in seconds. The first
 * call is left out. Arrivals are compared by the clock that all processes of a machine share. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work(double seconds) {
  const struct timespec time = {0, (long)(1e9 * seconds)};
  if (seconds > 0) nanosleep(&time, NULL);
}

static double lateness(const char* pattern, int call, int rank, int ranks, double step) {
  if (strcmp(pattern, "one") == 0) return rank == 0 ? step : 0;
  if (strcmp(pattern, "turn") == 0) return call % ranks == rank ? step : 0;
  if (strcmp(pattern, "apart") == 0) return rank * step;
  return 0;
}

int main(int argc, char** argv) {
  enum { MOST_CALLS = 10000, MOST_RANKS = 64 };
  static double begins[MOST_CALLS], ends[MOST_CALLS], last[MOST_CALLS];
  int rank, ranks, sent[MOST_RANKS], received[MOST_RANKS];
  double own[2] = {0, 0}, sums[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int calls = argc == 4 ? atoi(argv[2]) : 0;
  if (calls < 1 || calls > MOST_CALLS || ranks > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < ranks; ++i) sent[i] = rank * ranks + i;
  for (int call = 0; call < calls; ++call) {
    work(lateness(argv[1], call, rank, ranks, 1e-6 * atof(argv[3])));
    begins[call] = now();
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    ends[call] = now();
    for (int i = 0; i < ranks; ++i)
      if (received[i] != i * ranks + rank) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Allreduce(begins, last, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int call = 1; call < calls; ++call) {
    own[0] += last[call] - begins[call];
    own[1] += ends[call] - begins[call];
  }
  MPI_Reduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("by hand: waited %.6f of %.6f s\n", sums[0], sums[1]);
  MPI_Finalize();
  return 0;
}
