/* A program that knows nothing of Rondo and makes its exchanges by persistent requests. Every byte is checked. The
 * first argument names what it does, one thing after the other, as in rounds,mixed. The second says how often each
 * request is started. Without persistent forms in the MPI library, it prints "none". */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>

#include "checked_exchange.h"

#include <mpi-ext.h>

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INIT(Name) MPIX_##Name##_init
#elif OMPI_MAJOR_VERSION >= 5
#define INIT(Name) MPI_##Name##_init
#endif

#ifdef INIT

enum { FORMS = 3 * TO_NEXT, THREADS = 3 };

static int starts = 8, are_types_freed = 0;
static _Thread_local MPI_Comm comms[3]; /* all, ring, path */

static void expect(int is_right, const char* what) {
  if (is_right) return;
  fprintf(stderr, "wrong on rank %d: %s\n", rank, what);
  wrong = 1;
}

static void init_on_edges(struct exchange* e) {
  const MPI_Comm comm = comms[e->form / 3];
  const int form = e->form % 3;
  const int count = is_uniform(e) ? length(e, 0, 0) : 0;
  if (form == ALLTOALL) INIT(Neighbor_alltoall)
  (e->sent, count, MPI_BYTE, e->received, count, MPI_BYTE, comm, MPI_INFO_NULL, &e->request);
  else if (form == TYPED) INIT(Neighbor_alltoallw)(
      e->sent, e->send_counts, e->send_places, e->send_types, e->received, e->receive_counts,
      e->receive_places, e->receive_types, comm, MPI_INFO_NULL, &e->request);
  else INIT(Neighbor_alltoallv)(e->sent, e->send_counts, e->send_displs, MPI_BYTE, e->received,
                                e->receive_counts, e->receive_displs, MPI_BYTE, comm, MPI_INFO_NULL,
                                &e->request);
}

static void init_for_all(struct exchange* e) {
  const void* sent = e->is_in_place ? MPI_IN_PLACE : e->sent;
  const int count = e->send_counts[0];
  if (e->form == ALLTOALL) INIT(Alltoall)
  (sent, count, MPI_BYTE, e->received, count, MPI_BYTE, comms[0], MPI_INFO_NULL, &e->request);
  else if (e->form == TYPED) INIT(Alltoallw)(
      sent, e->send_counts, e->send_displs, e->send_types, e->received, e->receive_counts,
      e->receive_displs, e->receive_types, comms[0], MPI_INFO_NULL, &e->request);
  else INIT(Alltoallv)(sent, e->send_counts, e->send_displs, MPI_BYTE, e->received,
                       e->receive_counts, e->receive_displs, MPI_BYTE, comms[0], MPI_INFO_NULL,
                       &e->request);
}

/* All blocks of some numbers are empty. */
static void prepare(struct exchange* e, int form, int number, int is_in_place) {
  e->form = form;
  e->number = number;
  e->is_in_place = is_in_place;
  e->is_empty = number % 5 == 4;
  lay_out(e);
}

static void init(struct exchange* e, int form, int number, int is_in_place) {
  prepare(e, form, number, is_in_place);
  form < 3 ? init_for_all(e) : init_on_edges(e);
  if (are_types_freed) free_type(e);
}

static void release(struct exchange* e) {
  if (e->request != MPI_REQUEST_NULL) MPI_Request_free(&e->request);
  expect(e->request == MPI_REQUEST_NULL, "a freed request");
  if (!are_types_freed) free_type(e);
  free_buffers(e);
}

/* Whether the program makes this form: on a ring of one or two ranks, MPI libraries differ. */
static int is_made(int form) {
  return form / 3 != 1 || ranks > 2;
}

/* Each form again and again, alone, with waits of all kinds. */
static void rounds(void) {
  for (int form = 0; form < FORMS; ++form)
    for (int number = 0; number < 5 && is_made(form); ++number) {
      struct exchange e;
      MPI_Status status;
      init(&e, form, number, form < 3 && number % 2);
      for (int n = 0; n < starts; ++n) {
        int flag = 0, index;
        fill(&e, n);
        MPI_Start(&e.request);
        if (n % 4 == 0) MPI_Wait(&e.request, &status);
        while (n % 4 == 1 && !flag) MPI_Test(&e.request, &flag, &status);
        if (n % 4 == 2) MPI_Waitany(1, &e.request, &index, &status);
        while (n % 4 == 3 && !flag) MPI_Request_get_status(e.request, &flag, &status);
        if (n % 4 == 3) MPI_Waitall(1, &e.request, &status);
        expect(e.request != MPI_REQUEST_NULL, "a persistent request stays");
        check(&e, "rounds");
      }
      release(&e);
    }
}

/* An inactive request is over at once, with the empty status. */
static void inactive(void) {
  struct exchange e;
  init(&e, 1, 0, 0);
  for (int n = 0; n < 2; ++n) {
    MPI_Status status;
    int flag = 0, index = 0;
    memset(&status, 0, sizeof status);
    MPI_Wait(&e.request, &status);
    expect(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG, "empty status");
    MPI_Test(&e.request, &flag, &status);
    expect(flag, "MPI_Test of an inactive request");
    MPI_Request_get_status(e.request, &flag, &status);
    expect(flag, "MPI_Request_get_status of an inactive request");
    MPI_Waitany(1, &e.request, &index, &status);
    expect(index == MPI_UNDEFINED, "MPI_Waitany of an inactive request");
    fill(&e, n);
    MPI_Start(&e.request);
    MPI_Wait(&e.request, MPI_STATUS_IGNORE);
    check(&e, "inactive");
  }
  release(&e);
}

/* All forms at once, twice, and messages around a ring, in one MPI_Startall. Each rank completes them in an order of its
 * own. */
static void mixed(void) {
  enum { EXCHANGES = 2 * FORMS, ALL = EXCHANGES + 2 };
  struct exchange e[EXCHANGES];
  MPI_Request requests[ALL];
  int made = 0, of[ALL], out = 0, in = -1;
  MPI_Recv_init(&in, 1, MPI_INT, (rank + ranks - 1) % ranks, 3, MPI_COMM_WORLD, &requests[made++]);
  for (int i = 0; i < EXCHANGES; ++i) {
    if (!is_made(i % FORMS)) continue;
    init(&e[i], i % FORMS, i, i == 1);
    of[made] = i;
    requests[made++] = e[i].request;
  }
  MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD, &requests[made++]);
  for (int n = 0; n < starts; ++n) {
    MPI_Status statuses[ALL];
    out = rank * 100 + n;
    for (int i = 1; i < made - 1; ++i) fill(&e[of[i]], n);
    MPI_Startall(made, requests);
    for (int i = 0; i < made && n % 2; ++i)
      MPI_Wait(&requests[(i * (rank % 2 ? made - 1 : 1) + n) % made], MPI_STATUS_IGNORE);
    for (int left = made, count, indices[ALL]; left > 0 && n % 4 == 2; left -= count)
      MPI_Waitsome(made, requests, &count, indices, statuses);
    if (n % 4 == 0) MPI_Waitall(made, requests, statuses);
    for (int i = 1; i < made - 1; ++i) check(&e[of[i]], "mixed");
    expect(in == (rank + ranks - 1) % ranks * 100 + n, "a message beside exchanges");
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[made - 1]);
  for (int i = 1; i < made - 1; ++i) release(&e[of[i]]);
}

/* Each rank starts them in an order of its own. In every other round some complete each before they start the next. */
static void crossed(void) {
  enum { EXCHANGES = 6 };
  struct exchange e[EXCHANGES];
  for (int i = 0; i < EXCHANGES; ++i) init(&e[i], i % 3, i, 0);
  for (int n = 0; n < starts; ++n) {
    for (int i = 0; i < EXCHANGES; ++i) fill(&e[i], n);
    for (int i = 0; i < EXCHANGES; ++i) {
      struct exchange* one = &e[(i * (rank % 2 ? 5 : 1) + n + rank % 2) % EXCHANGES];
      MPI_Start(&one->request);
      if (rank % 2 == 0 && n % 2) MPI_Wait(&one->request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < EXCHANGES; ++i) MPI_Wait(&e[i].request, MPI_STATUS_IGNORE);
    for (int i = 0; i < EXCHANGES; ++i) check(&e[i], "crossed");
  }
  for (int i = 0; i < EXCHANGES; ++i) release(&e[i]);
}

/* A rank waits for a message that another sends when its exchange is over. In the meantime there are calls. */
static void beside(void) {
  struct exchange e;
  int in = 0, sent[MOST_RANKS] = {0}, received[MOST_RANKS];
  init(&e, 1, 1, 0);
  for (int n = 0; n < starts; ++n) {
    const int waits = rank == n % ranks;
    fill(&e, n);
    MPI_Start(&e.request);
    if (!waits) MPI_Wait(&e.request, MPI_STATUS_IGNORE);
    if (!waits) MPI_Send(&n, 1, MPI_INT, n % ranks, 4, MPI_COMM_WORLD);
    for (int i = 1; i < ranks && waits; ++i)
      MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    if (waits) MPI_Wait(&e.request, MPI_STATUS_IGNORE);
    check(&e, "beside");
  }
  release(&e);
}

/* More requests than Rondo takes at a time, some of which were never started, freed and made anew. */
static void many(void) {
  enum { REQUESTS = 70 };
  static struct exchange e[REQUESTS];
  for (int n = 0; n < 3; ++n) {
    for (int i = 0; i < REQUESTS; ++i) init(&e[i], i % 3, i, 0);
    for (int i = n; i < REQUESTS; i += 2) {
      fill(&e[i], n);
      MPI_Start(&e[i].request);
    }
    for (int i = n; i < REQUESTS; i += 2) MPI_Wait(&e[i].request, MPI_STATUS_IGNORE);
    for (int i = n; i < REQUESTS; i += 2) check(&e[i], "many");
    for (int i = 0; i < REQUESTS; ++i) release(&e[rank % 2 ? i : REQUESTS - 1 - i]);
  }
}

static void* on_communicator(void* of_thread) {
  comms[0] = *(MPI_Comm*)of_thread;
  for (int i = 0; i < 4; ++i) crossed();
  return NULL;
}

/* Each thread has a communicator of its own, and makes and frees requests while others exchange. */
static void in_threads(void) {
  pthread_t threads[THREADS];
  MPI_Comm of_threads[THREADS];
  for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &of_threads[i]);
  for (int i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, on_communicator, &of_threads[i]);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&of_threads[i]);
}

/* The communicator is freed, and the request lives on. */
static void orphaned(void) {
  struct exchange e;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  init(&e, 1, 2, 0);
  MPI_Comm_free(&comms[0]);
  comms[0] = MPI_COMM_WORLD;
  for (int n = 0; n < starts; ++n) {
    fill(&e, n);
    MPI_Start(&e.request);
    MPI_Wait(&e.request, MPI_STATUS_IGNORE);
    check(&e, "orphaned");
  }
  release(&e);
}

/* A request that is active cannot be freed. */
static void active(void) {
  struct exchange e;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  init(&e, 0, 0, 0);
  fill(&e, 0);
  if (rank == 0 && ranks > 1) {
    MPI_Request kept = e.request;
    MPI_Start(&e.request);
    expect(MPI_Request_free(&e.request) != MPI_SUCCESS, "an active request is freed");
    expect(e.request == kept, "the request is kept");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0 || ranks == 1) MPI_Start(&e.request);
  MPI_Wait(&e.request, MPI_STATUS_IGNORE);
  check(&e, "active");
  release(&e);
}

/* A request that is active cannot be started, whether or not its exchange is over. */
static void started_twice(void) {
  struct exchange e;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  init(&e, 1, 1, 0);
  for (int n = 0; n < starts; ++n) {
    int code = MPI_SUCCESS, flag = 0;
    fill(&e, n);
    MPI_Start(&e.request);
    while (n % 2 && !flag) MPI_Request_get_status(e.request, &flag, MPI_STATUS_IGNORE);
    MPI_Error_class(n % 4 < 2 ? MPI_Start(&e.request) : MPI_Startall(1, &e.request), &code);
    expect(code == MPI_ERR_REQUEST, "an active request is started");
    expect(MPI_Wait(&e.request, MPI_STATUS_IGNORE) == MPI_SUCCESS, "it goes on");
    check(&e, "started_twice");
  }
  release(&e);
}

/* What the MPI library's function returns as long as this is set. */
static int unpacking_code = MPI_SUCCESS;

int PMPI_Unpack(const void* in, int bytes, int* position, void* out, int count, MPI_Datatype type,
                MPI_Comm comm) {
  static int (*unpack)(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm) = NULL;
  if (unpacking_code != MPI_SUCCESS) return unpacking_code;
  if (unpack == NULL) *(void**)&unpack = dlsym(RTLD_NEXT, "PMPI_Unpack");
  return unpack(in, bytes, position, out, count, type, comm);
}

/* A start that fails on one rank. Open MPI then frees the request there, and the next one has all it needs. */
static void fails(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int n = 0; n < starts; ++n) {
    struct exchange e;
    int code;
    const int is_wrong = n % 2 && rank == ranks - 1 && ranks > 1;
    init(&e, TYPED, 2, 0);
    fill(&e, n);
    if (is_wrong) unpacking_code = MPI_ERR_TYPE;
    MPI_Start(&e.request);
    MPI_Error_class(MPI_Wait(&e.request, MPI_STATUS_IGNORE), &code);
    unpacking_code = MPI_SUCCESS;
    expect(code == (is_wrong ? MPI_ERR_TYPE : MPI_SUCCESS), "a start that fails on one rank");
    if (!is_wrong) check(&e, "fails");
    release(&e);
  }
}

/* One rank expects other lengths than the others send. */
static void mismatched(void) {
  struct exchange e;
  int code;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  prepare(&e, 1, 2, 0);
  if (rank == ranks - 1) e.receive_counts[0] += 1;
  code =
      INIT(Alltoallv)(e.sent, e.send_counts, e.send_displs, MPI_BYTE, e.received, e.receive_counts,
                      e.receive_displs, MPI_BYTE, comms[0], MPI_INFO_NULL, &e.request);
  MPI_Error_class(code, &code);
  expect(code == MPI_ERR_TRUNCATE, "a mismatch is an error on all ranks");
  free_buffers(&e);
}

static void make_topologies(void) {
  int ring = 1, source = rank - 1, destination = rank + 1, weight = 1;
  comms[0] = MPI_COMM_WORLD;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &ring, 0, &comms[1]);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 1, &source, &weight,
                                 rank > 0 && rank < ranks - 1, &destination, &weight, MPI_INFO_NULL,
                                 0, &comms[2]);
}

static void do_one(const char* what) {
  if (strcmp(what, "types_freed") == 0) are_types_freed = 1;
  if (strcmp(what, "rounds") == 0) rounds();
  if (strcmp(what, "inactive") == 0) inactive();
  if (strcmp(what, "mixed") == 0) mixed();
  if (strcmp(what, "crossed") == 0) crossed();
  if (strcmp(what, "beside") == 0) beside();
  if (strcmp(what, "threads") == 0) in_threads();
  if (strcmp(what, "many") == 0) many();
  if (strcmp(what, "orphaned") == 0) orphaned();
  if (strcmp(what, "active") == 0) active();
  if (strcmp(what, "started_twice") == 0) started_twice();
  if (strcmp(what, "fails") == 0) fails();
  if (strcmp(what, "mismatched") == 0) mismatched();
}

int main(int argc, char** argv) {
  char nothing[] = "";
  const int has_threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  int level;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  if (has_threads && level != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 2) starts = atoi(argv[2]);
  make_topologies();
  for (char* what = strtok(argc > 1 ? argv[1] : nothing, ","); what != NULL;
       what = strtok(NULL, ","))
    do_one(what);
  MPI_Comm_free(&comms[1]);
  MPI_Comm_free(&comms[2]);
  if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}

#else

int main(void) {
  puts("none");
  return 0;
}

#endif
