/* A program that knows nothing of Rondo: every all-to-all form that MPI has, checked, ROUNDS times.
 * Prints a checksum of what was received, or ends with status 1.
 *
 * exchanges [few]     few: ranks 0 and 1 alone exchange, the others only begin and end
 *
 * drop_in_test.py has the same numbers of calls and bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "large_neighbours.h"

enum { ROUNDS = 4, LONGEST = 8, MOST_RANKS = 16 };

static unsigned long checksum = 0;
static int wrong = 0;

/* Element i of what rank `from` sends to rank `to`, and how many there are where lengths differ. */
static int element(int from, int to, int i) {
  return 10000 * from + 100 * to + i;
}
static int length(int from, int to) {
  return (from + 2 * to) % 3;
}
/* With MPI_IN_PLACE both ranks of a pair send the same amount. */
static int even_length(int a, int b) {
  return 1 + (a + b) % 2;
}

typedef int length_of(int from, int to);
static int two(int from, int to) {
  return 2 + 0 * (from + to);
}

typedef struct {
  int data[MOST_RANKS * LONGEST];
  int counts[MOST_RANKS];
  int displs[MOST_RANKS];
  int bytes[MOST_RANKS];
  MPI_Datatype types[MOST_RANKS];
} side;

/* Blocks of `length` elements, LONGEST apart unless `packed`, as `own` sends or expects them. */
static void lay_out(side* s, int own, int ranks, length_of* of, int is_send, int packed) {
  memset(s->data, -1, sizeof s->data);
  for (int q = 0, next = 0; q < ranks; ++q) {
    s->counts[q] = is_send ? of(own, q) : of(q, own);
    s->displs[q] = packed ? next : q * LONGEST;
    s->bytes[q] = (int)sizeof(int) * s->displs[q];
    s->types[q] = MPI_INT;
    next += s->counts[q];
  }
}

static void fill(side* s, int own, int ranks) {
  for (int q = 0; q < ranks; ++q)
    for (int i = 0; i < s->counts[q]; ++i) s->data[s->displs[q] + i] = element(own, q, i);
}

static void check(const side* s, int own, int ranks, const char* what) {
  for (int q = 0; q < ranks; ++q)
    for (int i = 0; i < s->counts[q]; ++i) {
      const int got = s->data[s->displs[q] + i];
      checksum = checksum * 31 + (unsigned long)got;
      if (got == element(q, own, i)) continue;
      wrong = 1;
      fprintf(stderr, "%s: rank %d got %d from rank %d, not %d\n", what, own, got, q,
              element(q, own, i));
    }
}

typedef void exchange(const void* send_buffer, side* send, side* receive, MPI_Comm comm);

static void alltoall(const void* send_buffer, side* send, side* receive, MPI_Comm comm) {
  MPI_Alltoall(send_buffer, send->counts[0], MPI_INT, receive->data, receive->counts[0], MPI_INT,
               comm);
}
static void alltoallv(const void* send_buffer, side* send, side* receive, MPI_Comm comm) {
  MPI_Alltoallv(send_buffer, send->counts, send->displs, MPI_INT, receive->data, receive->counts,
                receive->displs, MPI_INT, comm);
}
static void alltoallw(const void* send_buffer, side* send, side* receive, MPI_Comm comm) {
  MPI_Alltoallw(send_buffer, send->counts, send->bytes, send->types, receive->data, receive->counts,
                receive->bytes, receive->types, comm);
}
static void ialltoall(const void* send_buffer, side* send, side* receive, MPI_Comm comm) {
  MPI_Request request;
  MPI_Ialltoall(send_buffer, send->counts[0], MPI_INT, receive->data, receive->counts[0], MPI_INT,
                comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The forms of MPI 4. Where mpi.h is older the program looks, as mpi4py does, whether they are there.
 */
#if MPI_VERSION < 4
#pragma weak MPI_Alltoall_c
#pragma weak MPI_Alltoallv_c
#pragma weak MPI_Alltoallw_c
int MPI_Alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
int MPI_Alltoallv_c(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*,
                    const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm);
int MPI_Alltoallw_c(const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*,
                    const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, MPI_Comm);
#define IS_THERE(function) ((function) != NULL)
#else
#define IS_THERE(function) 1
#endif

typedef struct {
  MPI_Count counts[MOST_RANKS];
  MPI_Aint displs[MOST_RANKS];
  MPI_Aint bytes[MOST_RANKS];
} large_side;

/* What an int cannot hold. */
static const MPI_Count kHuge = (MPI_Count)1 << 40;

/* With MPI_IN_PLACE, numbers of the sending side mean nothing. */
static large_side enlarged(const side* s, int is_ignored) {
  large_side large;
  for (int q = 0; q < MOST_RANKS; ++q) {
    large.counts[q] = is_ignored ? kHuge : s->counts[q];
    large.displs[q] = is_ignored ? kHuge : s->displs[q];
    large.bytes[q] = is_ignored ? kHuge : s->bytes[q];
  }
  return large;
}

static void large_alltoall(const void* send_buffer, side* send, side* receive, MPI_Comm comm) {
  if (!IS_THERE(MPI_Alltoall_c)) return alltoall(send_buffer, send, receive, comm);
  MPI_Alltoall_c(send_buffer, send_buffer == MPI_IN_PLACE ? kHuge : send->counts[0], MPI_INT,
                 receive->data, receive->counts[0], MPI_INT, comm);
}
static void large_alltoallv(const void* send_buffer, side* send, side* receive, MPI_Comm comm) {
  const large_side s = enlarged(send, send_buffer == MPI_IN_PLACE), r = enlarged(receive, 0);
  if (!IS_THERE(MPI_Alltoallv_c)) return alltoallv(send_buffer, send, receive, comm);
  MPI_Alltoallv_c(send_buffer, s.counts, s.displs, MPI_INT, receive->data, r.counts, r.displs,
                  MPI_INT, comm);
}
static void large_alltoallw(const void* send_buffer, side* send, side* receive, MPI_Comm comm) {
  const large_side s = enlarged(send, send_buffer == MPI_IN_PLACE), r = enlarged(receive, 0);
  if (!IS_THERE(MPI_Alltoallw_c)) return alltoallw(send_buffer, send, receive, comm);
  MPI_Alltoallw_c(send_buffer, s.counts, s.bytes, send->types, receive->data, r.counts, r.bytes,
                  receive->types, comm);
}

/* One exchange with all ranks of a communicator, or with the other group of an inter-communicator. */
static void try_out(exchange* run, length_of* of, int in_place, MPI_Comm comm, const char* what) {
  static side send, receive;
  int own, ranks, inter;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_test_inter(comm, &inter);
  (inter ? MPI_Comm_remote_size : MPI_Comm_size)(comm, &ranks);
  const int packed = of == two;
  lay_out(&send, own, ranks, of, 1, packed);
  lay_out(&receive, own, ranks, of, 0, packed);
  fill(in_place ? &receive : &send, own, ranks);
  run(in_place ? MPI_IN_PLACE : send.data, &send, &receive, comm);
  check(&receive, own, ranks, what);
}

#if MPI_VERSION < 4
static int handled = 0;
static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  if (*code == MPI_ERR_COUNT) ++handled;
}

/* One number is huge, on all ranks: the first of the counts or displacements of one side. */
static void one_too_many(int huge, MPI_Comm comm) {
  MPI_Count counts[2][MOST_RANKS] = {{0}};
  MPI_Aint displs[2][MOST_RANKS] = {{0}};
  MPI_Datatype types[MOST_RANKS];
  for (int q = 0; q < MOST_RANKS; ++q) types[q] = MPI_INT;
  if (huge < 2)
    counts[huge][0] = kHuge;
  else
    displs[huge - 2][0] = kHuge;
  const int codes[] = {
      MPI_Alltoallv_c(NULL, counts[0], displs[0], MPI_INT, NULL, counts[1], displs[1], MPI_INT,
                      comm),
      MPI_Alltoallw_c(NULL, counts[0], displs[0], types, NULL, counts[1], displs[1], types, comm),
      huge < 2 ? MPI_Alltoall_c(NULL, counts[0][0], MPI_INT, NULL, counts[1][0], MPI_INT, comm)
               : MPI_ERR_COUNT};
  for (int i = 0; i < 3; ++i)
    if (codes[i] != MPI_ERR_COUNT) wrong = 1;
  if (handled != (huge < 2 ? 3 : 2)) wrong = 1;
  handled = 0;
}
#endif

/* If the large forms call the others, numbers that exceed an int must be refused. */
static void too_many(void) {
#if MPI_VERSION < 4
  MPI_Comm all;
  MPI_Errhandler counting;
  if (!IS_THERE(MPI_Alltoall_c)) return;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_create_errhandler(handler, &counting);
  MPI_Comm_set_errhandler(all, counting);
  for (int huge = 0; huge < 4; ++huge) one_too_many(huge, all);
  MPI_Errhandler_free(&counting);
  MPI_Comm_free(&all);
#endif
}

static void neighbours(void) {
  int ranks, own, receive[2] = {-1, -1};
  const int periodic = 1;
  MPI_Comm ring;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Comm_rank(ring, &own);
  const int both[2] = {own, own};
  MPI_Neighbor_alltoall(both, 1, MPI_INT, receive, 1, MPI_INT, ring);
  MPI_Comm_free(&ring);
  if (receive[0] != (own + ranks - 1) % ranks || receive[1] != (own + 1) % ranks) wrong = 1;
}

/* Rank 0 is one group, the other ranks are the other. */
static void two_groups(int rank) {
  MPI_Comm group, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 7, &both);
  try_out(alltoall, two, 0, both, "MPI_Alltoall between groups");
  try_out(large_alltoallv, length, 0, both, "MPI_Alltoallv_c between groups");
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
}

static void everything(int rank) {
  int ranks;
  for (int round = 0; round < ROUNDS; ++round) {
    try_out(alltoall, two, 0, MPI_COMM_WORLD, "MPI_Alltoall");
    try_out(alltoall, two, 1, MPI_COMM_WORLD, "MPI_Alltoall in place");
    try_out(alltoallv, length, 0, MPI_COMM_WORLD, "MPI_Alltoallv");
    try_out(alltoallv, even_length, 1, MPI_COMM_WORLD, "MPI_Alltoallv in place");
    try_out(alltoallw, length, 0, MPI_COMM_WORLD, "MPI_Alltoallw");
    try_out(alltoallw, even_length, 1, MPI_COMM_WORLD, "MPI_Alltoallw in place");
    try_out(ialltoall, two, 0, MPI_COMM_WORLD, "MPI_Ialltoall");
    const int in_place = round % 2;
    try_out(large_alltoall, two, in_place, MPI_COMM_WORLD, "MPI_Alltoall_c");
    try_out(large_alltoallv, even_length, in_place, MPI_COMM_WORLD, "MPI_Alltoallv_c");
    try_out(large_alltoallw, even_length, in_place, MPI_COMM_WORLD, "MPI_Alltoallw_c");
  }
  two_groups(rank);
  neighbours();
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!large_neighbours_are_right(rank, ranks)) wrong = 1;
  too_many();
}

static void by_few(int rank) {
  MPI_Comm few;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &few);
  if (few == MPI_COMM_NULL) return;
  try_out(alltoall, two, 0, few, "MPI_Alltoall of few");
  MPI_Comm_free(&few);
}

int main(int argc, char** argv) {
  int rank;
  unsigned long sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "few") == 0)
    by_few(rank);
  else
    everything(rank);
  MPI_Reduce(&checksum, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("checksum %lu\n", sum);
  if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
