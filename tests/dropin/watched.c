/* Exchanges in which one rank is missing, for watched_test.py and check_watch.py.
 *
 *   watched CASE VICTIM CALLS SECONDS [TOKEN]    TOKEN is for the test to find the processes
 *
 * All ranks make CALLS exchanges. In the next one rank VICTIM is missing as CASE says, for SECONDS if it comes back at
 * all. Ranks are on one node, or on pretended ones of RONDO_TEST_NODE_RANKS ranks. With CALLS_RONDO it calls Rondo's
 * functions, and otherwise MPI's. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef CALLS_RONDO
#include <rondo/rondo.h>
#define ALLTOALL Rondo_Alltoall
#define ALLTOALLV Rondo_Alltoallv
#define NEIGHBOR_ALLTOALL Rondo_Neighbor_alltoall
#else
#define ALLTOALL MPI_Alltoall
#define ALLTOALLV MPI_Alltoallv
#define NEIGHBOR_ALLTOALL MPI_Neighbor_alltoall
#endif

enum { LENGTH = 3, LIFETIME = 300 };

static int ranks = 0;
static int rank = 0;
static int* counts = NULL;
static int* displs = NULL;
static int* sent = NULL;
static int* received = NULL;

/* Stands before the MPI library's. */
int PMPI_Get_processor_name(char* name, int* length) {
  const char* const size = getenv("RONDO_TEST_NODE_RANKS");
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", size == NULL ? 0 : own / atoi(size));
  return MPI_SUCCESS;
}

static void must(int code) {
  if (code != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void alltoall(MPI_Comm comm) {
  must(ALLTOALL(sent, LENGTH, MPI_INT, received, LENGTH, MPI_INT, comm));
}

static void alltoallv(MPI_Comm comm) {
  must(ALLTOALLV(sent, counts, displs, MPI_INT, received, counts, displs, MPI_INT, comm));
}

/* Only these two ranks have anything for each other. */
static void between(int one, int other) {
  int* const few = calloc((size_t)ranks, sizeof *few);
  if (rank == one) few[other] = LENGTH;
  if (rank == other) few[one] = LENGTH;
  must(ALLTOALLV(sent, few, displs, MPI_INT, received, few, displs, MPI_INT, MPI_COMM_WORLD));
  free(few);
}

static void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
  }
}

static void sleep_for(double seconds) {
  struct timespec rest = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&rest, NULL);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const char* const what = argv[1];
  const int victim = atoi(argv[2]);
  const int calls = atoi(argv[3]);
  const double seconds = atof(argv[4]);
  alarm(LIFETIME);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int is_victim = rank == victim;
  const size_t all = (size_t)ranks;
  counts = malloc(all * sizeof *counts);
  displs = malloc(all * sizeof *displs);
  sent = calloc(all * LENGTH, sizeof *sent);
  received = calloc(all * LENGTH, sizeof *received);
  for (int other = 0; other < ranks; ++other) {
    counts[other] = LENGTH;
    displs[other] = other * LENGTH;
  }
  MPI_Comm row;
  must(MPI_Comm_dup(MPI_COMM_WORLD, &row));
  must(MPI_Comm_set_name(row, "the second one"));
  for (int call = 0; call < calls; ++call) {
    alltoallv(MPI_COMM_WORLD);
    if (strcmp(what, "other_comm") == 0) alltoall(row);
  }
  if (strcmp(what, "part") == 0) {
    MPI_Comm part;
    must(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part));
    MPI_Comm_size(part, &ranks);
    alltoall(part);
    if (is_victim) sleep_for(seconds);
    alltoall(part);
    must(MPI_Comm_free(&part));
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  if (strcmp(what, "quiet") == 0) {
    const double end = MPI_Wtime() + seconds;
    long exchanges = 0;
    for (int goes_on = 1; goes_on != 0;) {
      for (int call = 0; call < 100; ++call, ++exchanges) alltoallv(MPI_COMM_WORLD);
      const long pauses = exchanges / 100;
      if (rank == pauses % ranks) sleep_for(pauses % 50 == 0 ? 0.25 : 0.01);
      goes_on = MPI_Wtime() < end;
      must(MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
    if (rank == 0) printf("%ld exchanges\n", exchanges);
  }
  if (strcmp(what, "behind") == 0) {
    const int late = victim == 0 ? 1 : 0;
    if (rank == late) sleep_for(seconds);
    between(late, victim);
  }
  if (strcmp(what, "neighbors") == 0) {
    MPI_Comm ring;
    const int is_periodic = 1;
    must(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &is_periodic, 0, &ring));
    if (is_victim) raise(SIGSTOP);
    must(NEIGHBOR_ALLTOALL(sent, LENGTH, MPI_INT, received, LENGTH, MPI_INT, ring));
  }
  if (is_victim) {
    if (strcmp(what, "late") == 0) sleep_for(seconds);
    if (strcmp(what, "computes") == 0) compute(seconds);
    if (strcmp(what, "stopped") == 0) raise(SIGSTOP);
    if (strcmp(what, "killed") == 0) raise(SIGKILL);
    if (strcmp(what, "receives") == 0)
      must(MPI_Recv(received, 1, MPI_INT, victim, 5, row, MPI_STATUS_IGNORE));
    if (strcmp(what, "other_form") == 0) alltoall(MPI_COMM_WORLD);
    if (strcmp(what, "other_comm") == 0) alltoall(row);
  }
  alltoallv(MPI_COMM_WORLD);
  MPI_Finalize();
  free(counts);
  free(displs);
  free(sent);
  free(received);
  return 0;
}
