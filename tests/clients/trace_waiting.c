/* A library that is loaded before a program, and traces when its ranks come to exchanges, without Rondo's help.
 *
 *   mpicc -shared -fPIC trace_waiting.c -o trace_waiting.so
 *
 * Every MPI_Alltoall and MPI_Alltoallv on as many ranks as MPI_COMM_WORLD has is noted with its begin and end on the
 * clock that all processes of a machine share. At the end rank 0 prints how long ranks waited for the last one, no
 * longer than they were there, and how long they were there, both summed over calls and ranks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_CALLS = 1 << 20 };
static double* begins;
static double* ends;
static int calls;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int is_traced(MPI_Comm comm) {
  int ranks = 0, all = 0;
  if (begins == NULL) begins = malloc(MOST_CALLS * sizeof *begins);
  if (ends == NULL) ends = malloc(MOST_CALLS * sizeof *ends);
  PMPI_Comm_size(comm, &ranks);
  PMPI_Comm_size(MPI_COMM_WORLD, &all);
  return ranks == all && calls < MOST_CALLS && begins != NULL && ends != NULL;
}

static void note(double begin) {
  begins[calls] = begin;
  ends[calls++] = now();
}

int MPI_Alltoall(const void* sent, int count, MPI_Datatype type, void* received, int expected,
                 MPI_Datatype other, MPI_Comm comm) {
  int (*next)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
  *(void**)&next = dlsym(RTLD_NEXT, "MPI_Alltoall");
  const double begin = now();
  const int code = next(sent, count, type, received, expected, other, comm);
  if (is_traced(comm)) note(begin);
  return code;
}

int MPI_Alltoallv(const void* sent, const int* counts, const int* places, MPI_Datatype type,
                  void* received, const int* expected, const int* expected_places,
                  MPI_Datatype other, MPI_Comm comm) {
  int (*next)(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
              MPI_Datatype, MPI_Comm);
  *(void**)&next = dlsym(RTLD_NEXT, "MPI_Alltoallv");
  const double begin = now();
  const int code =
      next(sent, counts, places, type, received, expected, expected_places, other, comm);
  if (is_traced(comm)) note(begin);
  return code;
}

static void print(void) {
  double own[2] = {0, 0}, sums[2];
  double* const last = malloc((size_t)calls * sizeof *last + 1);
  int rank = 0;
  if (last == NULL) PMPI_Abort(MPI_COMM_WORLD, 2);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Allreduce(begins, last, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int call = 0; call < calls; ++call) {
    const double there = ends[call] - begins[call], waited = last[call] - begins[call];
    own[0] += waited < there ? waited : there;
    own[1] += there;
  }
  PMPI_Reduce(own, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    fprintf(stderr, "traced: waited %.6f of %.6f s in %d calls\n", sums[0], sums[1], calls);
  free(last);
}

int MPI_Finalize(void) {
  int (*next)(void);
  *(void**)&next = dlsym(RTLD_NEXT, "MPI_Finalize");
  if (calls > 0) print();
  return next();
}
