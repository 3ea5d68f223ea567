/* A program that knows nothing of Rondo: exchanges of many datatypes, on communicators that are made and freed,
 * by several threads, and with errors. Everything is checked. Prints what happened, or ends with status 1.
 *
 * communicators MODE [ROUNDS]
 *   types     every form with every pair of datatypes, in place or not
 *   freed     communicators of all kinds are made, used and freed; one is left to MPI_Finalize
 *   many      more communicators than any process has at a time are made, used and freed; prints how many bytes of the
 *             heap each of them has left
 *   idup      a communicator is made while another one exchanges
 *   threads   three threads with a communicator each
 *   errors    a call that fails on one rank: how often the handler is called
 *   started   the same of exchanges that are started, after the first
 *   fatal     the same of calls, where errors end the program */
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, INTS = 6, MOST_COUNT = 3, BLOCK = 256, THREADS = 3, TYPES = 5 };

static int wrong = 0, rounds = 12;

/* Types of INTS ints, or of one more array of them, in BLOCK bytes at most. */
static MPI_Datatype types[TYPES];

static void make_types(void) {
  const int lengths[] = {2, 1, 3}, places[] = {5, 0, 9};
  MPI_Datatype permuted, pair;
  MPI_Type_contiguous(INTS, MPI_INT, &types[0]);
  MPI_Type_vector(3, 2, 3, MPI_INT, &types[1]);
  MPI_Type_indexed(3, lengths, places, MPI_INT, &permuted);
  MPI_Type_create_resized(permuted, 0, 16 * sizeof(int), &types[2]);
  MPI_Type_dup(types[1], &types[3]);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_create_hvector(3, 1, 5 * sizeof(int), pair, &types[4]);
  for (int i = 0; i < TYPES; ++i) MPI_Type_commit(&types[i]);
  MPI_Type_free(&permuted);
  MPI_Type_free(&pair);
}

static int value(int from, int to, int i, int salt) {
  return (from * 131 + to) * 1009 + i * 17 + salt;
}

/* One side of an exchange: blocks of BLOCK ints for each rank. */
struct side {
  int data[MOST_RANKS * BLOCK];
  int counts[MOST_RANKS], displs[MOST_RANKS], bytes[MOST_RANKS];
  MPI_Aint places[MOST_RANKS];
  MPI_Datatype types[MOST_RANKS];
};

/* The displacement of block `q` is q x BLOCK ints; MPI_Alltoallv counts it in extents of the type. */
static void lay_out(struct side* side, MPI_Datatype type, int ranks, int own, int is_send,
                    int even) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  memset(side->data, -1, sizeof side->data);
  for (int q = 0; q < ranks; ++q) {
    const int from = is_send ? own : q, to = is_send ? q : own;
    side->counts[q] = even ? 2 : (from + 2 * to) % (MOST_COUNT + 1);
    side->displs[q] = q * (int)(BLOCK * (MPI_Aint)sizeof(int) / extent);
    side->bytes[q] = side->displs[q] * (int)extent;
    side->places[q] = side->bytes[q];
    side->types[q] = type;
  }
}

/* MPI_Alltoall has its blocks one behind the other. */
static void put_together(struct side* side, int ranks) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(side->types[0], &lower, &extent);
  for (int q = 0; q < ranks; ++q) side->bytes[q] = q * side->counts[0] * (int)extent;
}

static char* block(struct side* side, int q) {
  return (char*)side->data + side->bytes[q];
}

static void fill(struct side* side, int ranks, int own, int salt, MPI_Comm comm) {
  for (int q = 0; q < ranks; ++q) {
    int packed[INTS * MOST_COUNT], place = 0;
    const int ints = side->counts[q] * INTS;
    for (int i = 0; i < ints; ++i) packed[i] = value(own, q, i, salt);
    MPI_Unpack(packed, ints * (int)sizeof(int), &place, block(side, q), side->counts[q],
               side->types[q], comm);
  }
}

static void check(struct side* side, int ranks, int own, int salt, MPI_Comm comm,
                  const char* what) {
  for (int q = 0; q < ranks; ++q) {
    int packed[INTS * MOST_COUNT], place = 0;
    MPI_Pack(block(side, q), side->counts[q], side->types[q], packed, sizeof packed, &place, comm);
    for (int i = 0; i < side->counts[q] * INTS; ++i)
      if (packed[i] != value(q, own, i, salt)) {
        fprintf(stderr, "%s: rank %d has %d from rank %d, not %d\n", what, own, packed[i], q,
                value(q, own, i, salt));
        wrong = 1;
        return;
      }
  }
}

/* One exchange of a form: 0, 1, 2 for alltoall, alltoallv, alltoallw. */
static void exchange(int form, int is_started, MPI_Datatype sent, MPI_Datatype received,
                     int in_place, int salt, MPI_Comm comm) {
  static _Thread_local struct side send, receive;
  MPI_Request request = MPI_REQUEST_NULL;
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  const int even = form == 0 || in_place;
  lay_out(&send, in_place ? received : sent, ranks, own, 1, even);
  lay_out(&receive, received, ranks, own, 0, even);
  if (form == 0) put_together(&send, ranks);
  if (form == 0) put_together(&receive, ranks);
  fill(in_place ? &receive : &send, ranks, own, salt, comm);
  const void* from = in_place ? MPI_IN_PLACE : send.data;
#define UNIFORM from, send.counts[0], send.types[0], receive.data, receive.counts[0], received, comm
#define VECTOR                                                                                 \
  from, send.counts, send.displs, send.types[0], receive.data, receive.counts, receive.displs, \
      received, comm
#define TYPED                                                                             \
  from, send.counts, send.bytes, send.types, receive.data, receive.counts, receive.bytes, \
      receive.types, comm
  if (form == 0) is_started ? MPI_Ialltoall(UNIFORM, &request) : MPI_Alltoall(UNIFORM);
  if (form == 1) is_started ? MPI_Ialltoallv(VECTOR, &request) : MPI_Alltoallv(VECTOR);
  if (form == 2) is_started ? MPI_Ialltoallw(TYPED, &request) : MPI_Alltoallw(TYPED);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const char* const names[] = {"alltoall", "alltoallv", "alltoallw"};
  check(&receive, ranks, own, salt, comm, names[form]);
}

/* All ranks are neighbours of all. */
static void exchange_on_edges(int form, MPI_Datatype sent, MPI_Datatype received, MPI_Comm comm) {
  static struct side send, receive;
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  lay_out(&send, sent, ranks, own, 1, form == 0);
  lay_out(&receive, received, ranks, own, 0, form == 0);
  if (form == 0) put_together(&send, ranks);
  if (form == 0) put_together(&receive, ranks);
  fill(&send, ranks, own, form, comm);
  if (form == 0)
    MPI_Neighbor_alltoall(send.data, 2, sent, receive.data, 2, received, comm);
  else if (form == 1)
    MPI_Neighbor_alltoallv(send.data, send.counts, send.displs, sent, receive.data, receive.counts,
                           receive.displs, received, comm);
  else
    MPI_Neighbor_alltoallw(send.data, send.counts, send.places, send.types, receive.data,
                           receive.counts, receive.places, receive.types, comm);
  check(&receive, ranks, own, form, comm, "among neighbours");
}

static MPI_Comm complete_graph(void) {
  int ranks, all[MOST_RANKS];
  MPI_Comm graph;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int q = 0; q < ranks; ++q) all[q] = q;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, ranks, all, all, ranks, all, all, MPI_INFO_NULL, 0,
                                 &graph);
  return graph;
}

static void all_types(void) {
  MPI_Comm graph = complete_graph();
  for (int sent = 0; sent < TYPES; ++sent)
    for (int received = 0; received < TYPES; ++received)
      for (int form = 0; form < 3; ++form) {
        for (int is_started = 0; is_started < 2; ++is_started)
          for (int in_place = 0; in_place < 2; ++in_place)
            exchange(form, is_started, types[sent], types[received], in_place, 7 * sent,
                     MPI_COMM_WORLD);
        exchange_on_edges(form, types[sent], types[received], graph);
      }
  MPI_Comm_free(&graph);
}

static void all_forms(MPI_Comm comm, int salt) {
  for (int form = 0; form < 3; ++form) exchange(form, 0, types[1], types[2], 0, salt, comm);
}

static void freed(void) {
  MPI_Comm kept, half, copy, graph;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    graph = complete_graph();
    for (int i = 0; i < 3; ++i) {
      all_forms(copy, round);
      all_forms(half, round);
      exchange_on_edges(i, types[0], types[4], graph);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&half);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  all_forms(kept, 1);
}

/* The first of them take what is kept for later ones. */
static void many(void) {
  const long rounds_before = rounds / 10;
  size_t before = 0;
  int rank, sent[MOST_RANKS] = {0}, received[MOST_RANKS];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long round = 0; round < rounds; ++round) {
    MPI_Comm copy;
    MPI_Request request;
    if (round == rounds_before) before = mallinfo2().uordblks;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, copy);
    for (int i = 0; i < 3; ++i) {
      MPI_Ialltoall(sent, 1, MPI_INT, received, 1, MPI_INT, copy, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&copy);
  }
  const long left = (long)(mallinfo2().uordblks - before);
  if (rank == 0) printf("%ld\n", left / (rounds - rounds_before));
}

/* The new communicator may be completed while this thread is inside an exchange. */
static void made_meanwhile(void) {
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm copy;
    MPI_Request request;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    if (rank % 2 == round % 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
    all_forms(MPI_COMM_WORLD, round);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i) all_forms(copy, round + i);
    MPI_Comm_free(&copy);
  }
}

static void* in_thread(void* comm) {
  for (int round = 0; round < rounds; ++round) all_forms(*(MPI_Comm*)comm, round);
  return NULL;
}

static void in_threads(void) {
  pthread_t threads[THREADS];
  MPI_Comm comms[THREADS];
  for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, in_thread, &comms[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&comms[i]);
}

static int handled, handled_code;
static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++handled;
  handled_code = *code;
}

/* In the fourth and in the last call rank 0 sends two ints to the last rank, which expects one. */
static void with_errors(int is_started, int is_fatal) {
  int rank, code, ranks, sent[MOST_RANKS * 2] = {0}, received[MOST_RANKS * 2];
  int counts[MOST_RANKS], expected[MOST_RANKS], displs[MOST_RANKS];
  MPI_Errhandler own;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_create_errhandler(handler, &own);
  if (!is_fatal) MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  MPI_Errhandler_free(&own);
  for (int call = 1; call <= rounds; ++call) {
    for (int q = 0; q < ranks; ++q) {
      counts[q] = rank == 0 && q == ranks - 1 && (call == 4 || call == rounds) ? 2 : 1;
      expected[q] = 1;
      displs[q] = 2 * q;
    }
    handled = 0;
    if (is_started && call > 1) {
      MPI_Request request;
      code = MPI_Ialltoallv(sent, counts, displs, MPI_INT, received, expected, displs, MPI_INT,
                            MPI_COMM_WORLD, &request);
      if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (request != MPI_REQUEST_NULL) wrong = 1;
    } else {
      code = MPI_Alltoallv(sent, counts, displs, MPI_INT, received, expected, displs, MPI_INT,
                           MPI_COMM_WORLD);
    }
    if (code == MPI_SUCCESS && handled == 0) continue;
    int class = 0, handled_class = 0;
    MPI_Error_class(code, &class);
    MPI_Error_class(handled_code, &handled_class);
    printf("call %d on rank %d: %s, handled %d times as %s\n", call, rank,
           class == MPI_ERR_TRUNCATE ? "truncated" : "other", handled,
           handled_class == MPI_ERR_TRUNCATE ? "truncated" : "other");
  }
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const int is_threaded = strcmp(mode, "threads") == 0;
  int provided;
  if (argc > 2) rounds = atoi(argv[2]);
  MPI_Init_thread(&argc, &argv, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  make_types();
  if (strcmp(mode, "types") == 0) all_types();
  if (strcmp(mode, "freed") == 0) freed();
  if (strcmp(mode, "many") == 0) many();
  if (strcmp(mode, "idup") == 0) made_meanwhile();
  if (is_threaded) in_threads();
  if (strcmp(mode, "errors") == 0) with_errors(0, 0);
  if (strcmp(mode, "started") == 0) with_errors(1, 0);
  if (strcmp(mode, "fatal") == 0) with_errors(0, 1);
  for (int i = 0; i < TYPES; ++i) MPI_Type_free(&types[i]);
  MPI_Finalize();
  return wrong;
}
