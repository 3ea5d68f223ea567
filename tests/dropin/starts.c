/* A program that knows nothing of Rondo and starts its exchanges. Every rank completes them while it waits
 * for something else, in a call of MPI that has nothing to do with them. Every byte is checked. The first
 * argument says what the ranks wait in, one thing after the other, as in recv,fence. The second says how many
 * exchanges of each form are made in each. */
#include <pthread.h>

#include "checked_exchange.h"

enum { OUTSTANDING = 12, FORMS = 3, THREADS = 3 };

static int exchanges = 6, along_edges = 0;
static _Thread_local MPI_Comm comm;

/* Along edges, each rank exchanges with the next. */
static void prepare(struct exchange* e, int form, int number) {
  e->form = form + (along_edges ? 3 * TO_NEXT : 0);
  e->number = number;
  e->is_in_place = e->is_empty = 0;
  lay_out(e);
  fill(e, 0);
}

static void start_for_all(struct exchange* e, int form) {
  if (form == ALLTOALL)
    MPI_Ialltoall(e->sent, e->send_counts[0], MPI_BYTE, e->received, e->receive_counts[0], MPI_BYTE,
                  comm, &e->request);
  else if (form == TYPED)
    MPI_Ialltoallw(e->sent, e->send_counts, e->send_displs, e->send_types, e->received,
                   e->receive_counts, e->receive_displs, e->receive_types, comm, &e->request);
  else
    MPI_Ialltoallv(e->sent, e->send_counts, e->send_displs, MPI_BYTE, e->received,
                   e->receive_counts, e->receive_displs, MPI_BYTE, comm, &e->request);
}

static void start_on_edges(struct exchange* e, int form) {
  if (form == ALLTOALL)
    MPI_Ineighbor_alltoall(e->sent, e->send_counts[0], MPI_BYTE, e->received, e->receive_counts[0],
                           MPI_BYTE, comm, &e->request);
  else if (form == TYPED)
    MPI_Ineighbor_alltoallw(e->sent, e->send_counts, e->send_places, e->send_types, e->received,
                            e->receive_counts, e->receive_places, e->receive_types, comm,
                            &e->request);
  else
    MPI_Ineighbor_alltoallv(e->sent, e->send_counts, e->send_displs, MPI_BYTE, e->received,
                            e->receive_counts, e->receive_displs, MPI_BYTE, comm, &e->request);
}

/* Its type is freed at once. */
static void start(struct exchange* e, int form, int number) {
  prepare(e, form, number);
  along_edges ? start_on_edges(e, form) : start_for_all(e, form);
  free_type(e);
}

static void end(struct exchange* e) {
  check(e, "a nonblocking exchange");
  free_buffers(e);
}

/* Rondo carries out nonblocking exchanges where blocking ones have set it up. */
static void set_up(void) {
  int sent[MOST_RANKS] = {0}, received[MOST_RANKS];
  MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm);
}

/* The first rank waits in `wait` for the last, which first completes its exchange. Then the roles change. */
static void beside(void (*wait)(int is_first)) {
  for (int n = 0; n < exchanges; ++n)
    for (int form = 0; form < FORMS; ++form) {
      struct exchange e;
      const int waits = n % 2 ? rank != 0 : rank == 0;
      start(&e, form, n);
      if (!waits) MPI_Wait(&e.request, MPI_STATUS_IGNORE);
      wait(waits);
      if (waits) MPI_Wait(&e.request, MPI_STATUS_IGNORE);
      end(&e);
    }
}

/* Those that have completed their exchange tell all others. */
static void tell(int waits) {
  if (waits) return;
  for (int q = 0; q < ranks; ++q)
    if (q != rank) MPI_Send(&rank, 1, MPI_INT, q, 7, MPI_COMM_WORLD);
}

/* How many others do so. */
static int tellers(int waits) {
  const int first_waits = rank == 0 ? waits : !waits;
  if (rank == 0) return first_waits ? ranks - 1 : 0;
  return first_waits ? ranks - 2 : 1;
}

static void in_recv(int waits) {
  tell(waits);
  for (int i = tellers(waits), from; i > 0; --i)
    MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void in_wait(int waits) {
  tell(waits);
  for (int i = tellers(waits), from; i > 0; --i) {
    MPI_Request other;
    MPI_Irecv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &other);
    MPI_Wait(&other, MPI_STATUS_IGNORE);
  }
}

static void in_probe(int waits) {
  tell(waits);
  for (int i = tellers(waits), from; i > 0; --i) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    MPI_Recv(&from, 1, MPI_INT, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void in_barrier(int waits) {
  (void)waits;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void in_exchange(int waits) {
  (void)waits;
  set_up();
}

static void in_comm(int waits) {
  MPI_Comm copy;
  (void)waits;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
}

static MPI_Win window;
static int exposed;

static void in_fence(int waits) {
  int value = rank;
  (void)waits;
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  if (exposed != (rank + ranks - 1) % ranks) wrong = 1;
}

static void in_testall(void) {
  struct exchange e[OUTSTANDING];
  MPI_Request requests[OUTSTANDING];
  for (int n = 0; n < exchanges; n += OUTSTANDING / FORMS) {
    int is_over = 0;
    MPI_Status statuses[OUTSTANDING];
    for (int i = 0; i < OUTSTANDING; ++i) {
      start(&e[i], i % FORMS, n + i / FORMS);
      requests[i] = e[i].request;
    }
    while (!is_over) MPI_Testall(OUTSTANDING, requests, &is_over, statuses);
    for (int i = 0; i < OUTSTANDING; ++i) end(&e[i]);
  }
}

/* Completes one or some of the requests in one of the ways that MPI has. */
static void complete_some(MPI_Request* requests, unsigned how) {
  int index, count, flag, indices[OUTSTANDING];
  MPI_Status status, statuses[OUTSTANDING];
  const int one = (int)(how / 8 % OUTSTANDING);
  switch (how % 6) {
    case 0:
      MPI_Wait(&requests[one], &status);
      break;
    case 1:
      MPI_Waitany(OUTSTANDING, requests, &index, &status);
      break;
    case 2:
      MPI_Waitsome(OUTSTANDING, requests, &count, indices, statuses);
      break;
    case 3:
      MPI_Test(&requests[one], &flag, &status);
      break;
    case 4:
      MPI_Testsome(OUTSTANDING, requests, &count, indices, statuses);
      break;
    default:
      MPI_Testany(OUTSTANDING, requests, &index, &flag, &status);
  }
}

/* All ranks start in one order, and each completes in an order of its own. */
static void at_random(void) {
  struct exchange e[OUTSTANDING];
  MPI_Request requests[OUTSTANDING];
  int is_open[OUTSTANDING] = {0};
  unsigned of_all = 1, own = 77u * (unsigned)rank + 5;
  int started[FORMS] = {0};
  for (int i = 0; i < OUTSTANDING; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int n = 0; n < exchanges * FORMS; ++n) {
    of_all = mix(of_all, (unsigned)n);
    int place = -1;
    while (place < 0) {
      for (int i = 0; i < OUTSTANDING; ++i)
        if (requests[i] == MPI_REQUEST_NULL) {
          if (is_open[i]) end(&e[i]);
          is_open[i] = 0;
          place = i;
        }
      if (place < 0 || own % 4 == 0) complete_some(requests, own = mix(own, 3));
      own = mix(own, 1);
    }
    const int form = n % FORMS;
    start(&e[place], form, started[form]++);
    requests[place] = e[place].request;
    is_open[place] = 1;
    if (of_all % 7 == 0) set_up();
  }
  MPI_Status statuses[OUTSTANDING];
  MPI_Waitall(OUTSTANDING, requests, statuses);
  for (int i = 0; i < OUTSTANDING; ++i)
    if (is_open[i]) end(&e[i]);
}

static void* on_communicator(void* of_thread) {
  comm = *(MPI_Comm*)of_thread;
  set_up();
  at_random();
  return NULL;
}

/* Each thread has a communicator of its own, and whichever is in MPI lets the exchanges of all go on. */
static void in_threads(void) {
  pthread_t threads[THREADS];
  MPI_Comm comms[THREADS];
  for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, on_communicator, &comms[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&comms[i]);
}

/* The communicator is freed while its exchanges are outstanding. Open MPI's own end the program then, so
 * this needs a ring of no more than OUTSTANDING channels, in each of which the first exchange is its own. */
static void freed(void) {
  struct exchange e[OUTSTANDING];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  set_up();
  for (int n = 0; n < 2; ++n) {
    for (int i = 0; i < OUTSTANDING; ++i) start(&e[i], i % FORMS, i / FORMS);
    if (n == 1) MPI_Comm_free(&comm);
    for (int i = OUTSTANDING - 1; i >= 0; --i) {
      MPI_Wait(&e[i].request, MPI_STATUS_IGNORE);
      end(&e[i]);
    }
  }
}

/* Among neighbours: each rank waits for others, and many are outstanding. */
static void on_edges(void) {
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, weight = 1, none = 0;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight,
                                 MPI_INFO_NULL, 0, &comm);
  MPI_Neighbor_alltoallv(NULL, &none, &none, MPI_INT, NULL, &none, &none, MPI_INT, comm);
  along_edges = 1;
  beside(in_recv);
  in_testall();
  at_random();
  along_edges = 0;
  MPI_Comm_free(&comm);
  comm = MPI_COMM_WORLD;
}

/* A wrong argument on one rank: that one learns of it at the start, the others when they complete. */
static void failing(void) {
  int is_error, code;
  struct exchange e;
  MPI_Status status;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int n = 0; n < exchanges; ++n) {
    start(&e, 1, n);
    MPI_Wait(&e.request, &status);
    end(&e);
  }
  prepare(&e, 1, exchanges);
  if (rank == ranks - 1) e.send_counts[0] = -1;
  e.request = MPI_REQUEST_NULL;
  code = MPI_Ialltoallv(e.sent, e.send_counts, e.send_displs, MPI_BYTE, e.received,
                        e.receive_counts, e.receive_displs, MPI_BYTE, comm, &e.request);
  is_error = code != MPI_SUCCESS;
  if (is_error != (rank == ranks - 1)) wrong = 1;
  if (rank != ranks - 1 && MPI_Wait(&e.request, &status) == MPI_SUCCESS) wrong = 1;
}

static int mappings(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  int lines = 0;
  for (int c; maps != NULL && (c = getc(maps)) != EOF;) lines += c == '\n';
  if (maps != NULL) fclose(maps);
  return lines;
}

/* The first rank starts all before the others start one. Each waits for the one before, and has no stack
 * meanwhile, which would be a mapping or two. */
static void many(void) {
  enum { MOST_NEW = 40 };
  const size_t all = (size_t)exchanges, blocks = (size_t)ranks;
  int *sent = malloc(all * blocks * sizeof *sent), *received = malloc(all * blocks * sizeof *sent);
  MPI_Request* requests = malloc(all * sizeof(MPI_Request));
  for (size_t i = 0; i < all * blocks; ++i) sent[i] = (int)i + rank;
  if (rank != 0) MPI_Recv(NULL, 0, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int before = mappings();
  for (size_t n = 0; n < all; ++n)
    MPI_Ialltoall(sent + n * blocks, 1, MPI_INT, received + n * blocks, 1, MPI_INT, comm,
                  &requests[n]);
  const int made = mappings() - before;
  for (int q = 1; q < ranks && rank == 0; ++q) MPI_Send(NULL, 0, MPI_INT, q, 8, MPI_COMM_WORLD);
  for (int i = 0; i < exchanges; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (size_t n = 0; n < all; ++n)
    for (int q = 0; q < ranks; ++q)
      if (received[n * blocks + (size_t)q] != (int)(n * blocks) + rank + q) wrong = 1;
  if (made > MOST_NEW) {
    fprintf(stderr, "%d starts made %d mappings on rank %d\n", exchanges, made, rank);
    wrong = 1;
  }
  free(sent);
  free(received);
  free(requests);
}

static void wait_in(const char* way) {
  if (strcmp(way, "recv") == 0) beside(in_recv);
  if (strcmp(way, "wait") == 0) beside(in_wait);
  if (strcmp(way, "probe") == 0) beside(in_probe);
  if (strcmp(way, "barrier") == 0) beside(in_barrier);
  if (strcmp(way, "exchange") == 0) beside(in_exchange);
  if (strcmp(way, "comm") == 0) beside(in_comm);
  if (strcmp(way, "fence") == 0) beside(in_fence);
  if (strcmp(way, "testall") == 0) in_testall();
  if (strcmp(way, "random") == 0) at_random();
  if (strcmp(way, "threads") == 0) in_threads();
  if (strcmp(way, "freed") == 0) freed();
  if (strcmp(way, "edges") == 0) on_edges();
  if (strcmp(way, "failing") == 0) failing();
  if (strcmp(way, "many") == 0) many();
}

int main(int argc, char** argv) {
  char nothing[] = "";
  char* const ways = argc > 1 ? argv[1] : nothing;
  const int has_threads = strcmp(ways, "threads") == 0;
  int level;
  if (argc > 2) exchanges = atoi(argv[2]);
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  if (has_threads && level != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  comm = MPI_COMM_WORLD;
  MPI_Win_create(&exposed, sizeof exposed, sizeof exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  set_up();
  for (char* way = strtok(ways, ","); way != NULL; way = strtok(NULL, ",")) wait_in(way);
  MPI_Win_free(&window);
  if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
