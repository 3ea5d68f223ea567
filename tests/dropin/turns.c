/* A program that calls MPI_Alltoall and MPI_Alltoallv often, checked:
 * turns ROUNDS [fail | late | limited | slow | started]. On
 * MPI_COMM_WORLD both in every round, on one communicator for the even ranks and one for the odd ones
 * MPI_Alltoall alone, and before all that MPI_Alltoall once on a communicator that comes first. They
 * are freed before the end.
 *
 * fail: rank 0 sends too much in the last call but one, which fails on a rank that this goes to.
 * late: the last rank sleeps before every round.
 * limited: from MPI_Finalize on, files may have 100 bytes.
 * slow: the MPI library's own MPI_Alltoall sleeps, which Rondo's does not.
 * started: the same, and after all rounds MPI_Ialltoall is called as often on MPI_COMM_WORLD.
 *
 * ab_test.py has the same numbers of calls and time of sleep. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_RANKS = 16 };

static int wrong = 0;
static int is_slow = 0;

static void sleep_ms(int milliseconds) {
  const struct timespec time = {0, 1000000L * milliseconds};
  nanosleep(&time, NULL);
}

/* The dynamic linker finds this before the MPI library's function. */
int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  static int (*next)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Alltoall");
  if (is_slow) sleep_ms(20);
  return next(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

static int element(int from, int to, int round) {
  return 10000 * from + 100 * to + round;
}

static void check(const int* received, int own, int ranks, int round, const char* what) {
  for (int q = 0; q < ranks; ++q) {
    if (received[q] == element(q, own, round)) continue;
    wrong = 1;
    fprintf(stderr, "%s, round %d: rank %d got %d from rank %d\n", what, round, own, received[q],
            q);
  }
}

/* The buffers of both exchanges, with one element per rank. */
static int own, ranks, sent[MOST_RANKS + 1], received[MOST_RANKS];

static void prepare(MPI_Comm comm, int round) {
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  for (int q = 0; q < ranks; ++q) {
    sent[q] = element(own, q, round);
    received[q] = -1;
  }
}

static void alltoall(MPI_Comm comm, int round) {
  prepare(comm, round);
  MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm);
  check(received, own, ranks, round, "MPI_Alltoall");
}

static void started(MPI_Comm comm, int round) {
  MPI_Request request;
  prepare(comm, round);
  MPI_Ialltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(received, own, ranks, round, "MPI_Ialltoall");
}

/* With too_many, rank 0 sends two elements to the last rank, which expects one. */
static void alltoallv(MPI_Comm comm, int round, int too_many) {
  int counts[MOST_RANKS], expected[MOST_RANKS], places[MOST_RANKS];
  prepare(comm, round);
  for (int q = 0; q < ranks; ++q) {
    counts[q] = expected[q] = 1;
    places[q] = q;
  }
  if (too_many && own == 0) counts[ranks - 1] = 2;
  const int code =
      MPI_Alltoallv(sent, counts, places, MPI_INT, received, expected, places, MPI_INT, comm);
  if (code == MPI_SUCCESS) check(received, own, ranks, round, "MPI_Alltoallv");
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Comm half, once;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? atoi(argv[1]) : 0;
  const char* mode = argc > 2 ? argv[2] : "";
  const int fails = strcmp(mode, "fail") == 0;
  const int is_late = strcmp(mode, "late") == 0 && rank == ranks - 1;
  const int starts = strcmp(mode, "started") == 0;
  is_slow = starts || strcmp(mode, "slow") == 0;
  if (fails) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &once);
  alltoall(once, 0);
  for (int round = 0; round < rounds; ++round) {
    if (is_late) sleep_ms(2);
    alltoall(MPI_COMM_WORLD, round);
    alltoallv(MPI_COMM_WORLD, round, fails && round == rounds - 2);
    alltoall(half, round);
  }
  for (int round = 0; starts && round < rounds; ++round) started(MPI_COMM_WORLD, round);
  MPI_Comm_free(&once);
  MPI_Comm_free(&half);
  if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) puts("right");
  const struct rlimit limit = {100, 100};
  if (strcmp(mode, "limited") == 0) setrlimit(RLIMIT_FSIZE, &limit);
  MPI_Finalize();
  return 0;
}
