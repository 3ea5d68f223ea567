/* An uneven exchange without MPI, among processes that are forked: rank p sends p + 1 numbers to
 * every rank, so it receives q + 1 numbers from rank q. Build and run with 4 ranks:
 *   cc example_group.c $(pkg-config --cflags --libs rondo-core) -o example_group && ./example_group 4
 */
#define _DEFAULT_SOURCE
#include <rondo/transport.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 64, MOST_BYTES = 4096, PATIENCE_SECONDS = 30 };

/* Memory of all processes: how often each has gathered, and what, in two places by turns. */
static struct {
  atomic_int gatherings[MOST_RANKS];
  char data[2][MOST_RANKS][MOST_BYTES];
} * shared;

typedef struct {
  int rank, ranks, gatherings;
} Process;

/* By the time that a rank writes in a place again, all ranks have read what was there. */
static int allgather(void* context, const void* own, void* all, size_t bytes) {
  Process* self = context;
  const int now = ++self->gatherings;
  char(*data)[MOST_BYTES] = shared->data[now % 2];
  memcpy(data[self->rank], own, bytes);
  atomic_store(&shared->gatherings[self->rank], now);
  const time_t end = time(NULL) + PATIENCE_SECONDS;
  for (int q = 0; q < self->ranks; ++q) {
    while (atomic_load(&shared->gatherings[q]) < now) {
      if (time(NULL) > end) return 1; /* rank q has not come */
      sched_yield();
    }
    memcpy((char*)all + (size_t)q * bytes, data[q], bytes);
  }
  return 0;
}

/* Returns how many numbers are wrong. */
static int exchange(Rondo_Group group, int rank, int ranks) {
  /* Lengths and displacements are in bytes: the blocks lie one after the other. */
  size_t sendbytes[MOST_RANKS] = {0}, sdispls[MOST_RANKS] = {0};
  size_t recvbytes[MOST_RANKS] = {0}, rdispls[MOST_RANKS] = {0};
  size_t sent = 0, received = 0;
  for (int q = 0; q < ranks; ++q) {
    sendbytes[q] = (size_t)(rank + 1) * sizeof(int);
    sdispls[q] = sent;
    sent += sendbytes[q];
    recvbytes[q] = (size_t)(q + 1) * sizeof(int);
    rdispls[q] = received;
    received += recvbytes[q];
  }
  int *send = calloc(1, sent), *recv = calloc(1, received);
  for (size_t i = 0; i < sent / sizeof(int); ++i) send[i] = rank;

  if (Rondo_Group_alltoallv(send, sendbytes, sdispls, recv, recvbytes, rdispls, group) != 0) {
    fprintf(stderr, "rank %d: %s\n", rank, Rondo_Group_get_last_error());
    exit(1);
  }
  int wrong = 0;
  for (int q = 0, at = 0; q < ranks; ++q)
    for (int i = 0; i <= q; ++i) wrong += recv[at++] != q;
  printf("rank %d of %d received %d numbers, %d wrong\n", rank, ranks,
         (int)(received / sizeof(int)), wrong);
  free(send);
  free(recv);
  return wrong;
}

static int run(int rank, int ranks) {
  Process self = {.rank = rank, .ranks = ranks};
  const Rondo_Transport transport = {.struct_bytes = sizeof transport,
                                     .rank = rank,
                                     .size = ranks,
                                     .context = &self,
                                     .allgather = allgather,
                                     .timeout_seconds = PATIENCE_SECONDS};
  Rondo_Group group;
  if (Rondo_Group_create(&transport, &group) != RONDO_SUCCESS) {
    fprintf(stderr, "rank %d: %s\n", rank, Rondo_Group_get_last_error());
    return 1;
  }
  const int wrong = exchange(group, rank, ranks);
  Rondo_Group_free(&group);
  return wrong != 0;
}

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? atoi(argv[1]) : 2;
  if (ranks < 1 || ranks > MOST_RANKS) return 2;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  for (int rank = 1; rank < ranks; ++rank)
    if (fork() == 0) return run(rank, ranks);
  int failed = run(0, ranks);
  for (int rank = 1, status; rank < ranks; ++rank) failed |= wait(&status) < 0 || status != 0;
  return failed;
}
