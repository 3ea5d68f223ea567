/* An exchange of a program that knows nothing of Rondo. Every byte is checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, LONG_BYTES = 3000, ALLTOALL = 0, TYPED = 2 };
/* Who exchanges: all ranks, neighbours on a ring, those on a path that leaves the first rank out, or each rank with the
 * next. */
enum { AMONG_ALL, ON_RING, ON_PATH, TO_NEXT, SHAPES };

static int rank, ranks, wrong = 0;

/* The forms are alltoall, alltoallv and alltoallw, of each shape. Exchanges with other numbers, and other rounds of the
 * same exchange, have other bytes. */
struct exchange {
  int form, number, round, is_in_place, is_empty;
  int sends, receives, to[MOST_RANKS], from[MOST_RANKS]; /* the blocks, and their ranks */
  int send_counts[MOST_RANKS], send_displs[MOST_RANKS];
  int receive_counts[MOST_RANKS], receive_displs[MOST_RANKS];
  MPI_Aint send_places[MOST_RANKS], receive_places[MOST_RANKS];
  MPI_Datatype send_types[MOST_RANKS], receive_types[MOST_RANKS], type;
  size_t received_bytes;
  unsigned char *sent, *received;
  MPI_Request request;
};

static unsigned mix(unsigned a, unsigned b) {
  unsigned x = a * 2654435761u ^ (b + 0x9e3779b9u + (a << 6));
  x ^= x >> 15;
  return x * 2246822519u;
}

static int is_uniform(const struct exchange* e) {
  return e->form % 3 == ALLTOALL;
}

/* In place, what goes there and back is as long. Some blocks are empty. */
static int length(const struct exchange* e, int from, int to) {
  const int low = from < to ? from : to, high = from < to ? to : from;
  const unsigned pair = is_uniform(e)    ? 0
                        : e->is_in_place ? mix((unsigned)low, (unsigned)high)
                                         : mix((unsigned)from, (unsigned)to);
  const unsigned x = mix(mix((unsigned)e->number, (unsigned)e->form), pair);
  if (e->is_empty) return 0;
  return x % 5 == 0 && !is_uniform(e) ? 0 : (int)(x / 8 % (x % 3 ? 40 : LONG_BYTES));
}

static unsigned char value(const struct exchange* e, int from, int to, int i) {
  const unsigned exchange = (unsigned)((e->round * 64 + e->number) * 3 * SHAPES + e->form);
  return (unsigned char)(mix(exchange, (unsigned)(from * 64 + to)) + (unsigned)i);
}

/* What arrives in the typed forms has gaps of a byte. */
static int spread(const struct exchange* e) {
  return e->form % 3 == TYPED && !e->is_in_place ? 2 : 1;
}

static void find_ranks(struct exchange* e) {
  const int shape = e->form / 3;
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  e->sends = e->receives = 0;
  for (int q = 0; q < ranks && shape == AMONG_ALL; ++q)
    e->to[e->sends++] = e->from[e->receives++] = q;
  if (shape == ON_RING) e->to[e->sends++] = e->from[e->receives++] = left;
  if (shape == ON_RING) e->to[e->sends++] = e->from[e->receives++] = right;
  if (shape == ON_PATH && rank > 0 && rank < ranks - 1) e->to[e->sends++] = right;
  if (shape == ON_PATH && rank > 1) e->from[e->receives++] = left;
  if (shape == TO_NEXT) e->to[e->sends++] = right;
  if (shape == TO_NEXT) e->from[e->receives++] = left;
}

/* Its form, number, is_in_place and is_empty must be set. A byte follows the last that is received. */
static void lay_out(struct exchange* e) {
  int sent = 0, received = 0;
  e->type = MPI_BYTE;
  if (spread(e) == 2) MPI_Type_create_resized(MPI_BYTE, 0, 2, &e->type);
  if (spread(e) == 2) MPI_Type_commit(&e->type);
  find_ranks(e);
  for (int q = 0; q < e->sends; ++q) {
    e->send_counts[q] = length(e, rank, e->to[q]);
    e->send_places[q] = e->send_displs[q] = sent;
    e->send_types[q] = MPI_BYTE;
    sent += e->send_counts[q];
  }
  for (int q = 0; q < e->receives; ++q) {
    e->receive_counts[q] = length(e, e->from[q], rank);
    e->receive_places[q] = e->receive_displs[q] = received;
    e->receive_types[q] = e->type;
    received += e->receive_counts[q] * spread(e);
  }
  e->received_bytes = (size_t)received;
  e->sent = malloc((size_t)sent + 1);
  e->received = malloc(e->received_bytes + 1);
}

static void fill(struct exchange* e, int round) {
  unsigned char* const out = e->is_in_place ? e->received : e->sent;
  e->round = round;
  memset(e->received, 0xee, e->received_bytes + 1);
  for (int q = 0; q < e->sends; ++q)
    for (int i = 0; i < e->send_counts[q]; ++i)
      out[e->send_displs[q] + i] = value(e, rank, e->to[q], i);
}

static void check(const struct exchange* e, const char* what) {
  for (int q = 0; q < e->receives; ++q)
    for (int i = 0; i < e->receive_counts[q] * spread(e); ++i) {
      const int is_gap = i % spread(e) != 0;
      const unsigned char expected = is_gap ? 0xee : value(e, e->from[q], rank, i / spread(e));
      if (e->received[e->receive_displs[q] + i] != expected) {
        if (!wrong)
          fprintf(stderr,
                  "%s: form %d, number %d, round %d: byte %d from rank %d is wrong on rank %d\n",
                  what, e->form, e->number, e->round, i, e->from[q], rank);
        wrong = 1;
      }
    }
  if (e->received[e->received_bytes] != 0xee) {
    fprintf(stderr,
            "%s: form %d, number %d, round %d: the byte after the last is wrong on rank %d\n", what,
            e->form, e->number, e->round, rank);
    wrong = 1;
  }
}

static void free_type(struct exchange* e) {
  if (e->type != MPI_BYTE) MPI_Type_free(&e->type);
}

static void free_buffers(struct exchange* e) {
  free(e->sent);
  free(e->received);
}
