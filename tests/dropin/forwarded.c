/* A program that knows nothing of Rondo: every all-to-all form that this mpi.h has but those between
 * all ranks that block, once, checked. Rondo carries out the blocking ones among neighbours, and leaves the
 * others to the MPI library. Rank 0 prints the names of what was called, and whether the forms of
 * MPI 4 are there for who looks for them, which must be as it is without Rondo. */
#define _GNU_SOURCE  // RTLD_DEFAULT
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

enum { MOST_RANKS = 16, NEIGHBOURS = 2 };

static int rank, wrong = 0;
static MPI_Comm ring;
static MPI_Request request;
static int sent[MOST_RANKS], received[MOST_RANKS];
static int counts[MOST_RANKS], displs[MOST_RANKS], bytes[MOST_RANKS];
static MPI_Aint addresses[MOST_RANKS];
static MPI_Datatype types[MOST_RANKS];

static void prepare(void) {
  for (int q = 0; q < MOST_RANKS; ++q) {
    sent[q] = 100 * rank + q;
    received[q] = -1;
    counts[q] = 1;
    displs[q] = q;
    bytes[q] = q * (int)sizeof(int);
    addresses[q] = bytes[q];
    types[q] = MPI_INT;
  }
}

static void called(const char* name, int is_right) {
  if (rank == 0) puts(name);
  if (is_right) return;
  wrong = 1;
  fprintf(stderr, "%s is wrong on rank %d\n", name, rank);
}

static int is_from_all(void) {
  int ranks, is_right = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int q = 0; q < ranks; ++q) is_right = is_right && received[q] == 100 * q + rank;
  return is_right;
}

/* Each of the two neighbours of a rank sends it the block for that side. */
static int is_from_neighbours(void) {
  int ranks;
  MPI_Comm_size(ring, &ranks);
  const int below = (rank + ranks - 1) % ranks, above = (rank + 1) % ranks;
  return received[0] == 100 * below + 1 && received[1] == 100 * above;
}

#define ALL_AT_ONCE sent, 1, MPI_INT, received, 1, MPI_INT
#define VARIABLE(counts, displs) sent, counts, displs, MPI_INT, received, counts, displs, MPI_INT
#define TYPED(counts, displs) sent, counts, displs, types, received, counts, displs, types

#define BLOCKING(name, arguments, comm, is_right) \
  prepare();                                      \
  MPI_##name(arguments, comm);                    \
  called("MPI_" #name, is_right())
#define NONBLOCKING(name, arguments, comm, is_right) \
  prepare();                                         \
  MPI_##name(arguments, comm, &request);             \
  MPI_Wait(&request, MPI_STATUS_IGNORE);             \
  called("MPI_" #name, is_right())
#define PERSISTENT(name, arguments, comm, is_right)     \
  prepare();                                            \
  MPI_##name(arguments, comm, MPI_INFO_NULL, &request); \
  MPI_Start(&request);                                  \
  MPI_Wait(&request, MPI_STATUS_IGNORE);                \
  MPI_Request_free(&request);                           \
  called("MPI_" #name, is_right())

/* The three calls of a form: MPI_ beginning lltoall end, and the same with v and w. */
#define THREE(KIND, beginning, end, comm, is_right, counts, displs, places) \
  KIND(beginning##lltoall##end, ALL_AT_ONCE, comm, is_right);               \
  KIND(beginning##lltoallv##end, VARIABLE(counts, displs), comm, is_right); \
  KIND(beginning##lltoallw##end, TYPED(counts, places), comm, is_right)

static void of_mpi_3(void) {
  THREE(NONBLOCKING, Ia, , MPI_COMM_WORLD, is_from_all, counts, displs, bytes);
  THREE(BLOCKING, Neighbor_a, , ring, is_from_neighbours, counts, displs, addresses);
  THREE(NONBLOCKING, Ineighbor_a, , ring, is_from_neighbours, counts, displs, addresses);
}

#if MPI_VERSION >= 4
static void of_mpi_4(void) {
  MPI_Count many[MOST_RANKS];
  MPI_Aint far[MOST_RANKS];
  for (int q = 0; q < MOST_RANKS; ++q) {
    many[q] = 1;
    far[q] = q;
  }
  THREE(PERSISTENT, A, _init, MPI_COMM_WORLD, is_from_all, counts, displs, bytes);
  THREE(PERSISTENT, Neighbor_a, _init, ring, is_from_neighbours, counts, displs, addresses);
  THREE(PERSISTENT, A, _init_c, MPI_COMM_WORLD, is_from_all, many, far, addresses);
  THREE(PERSISTENT, Neighbor_a, _init_c, ring, is_from_neighbours, many, far, addresses);
  THREE(NONBLOCKING, Ia, _c, MPI_COMM_WORLD, is_from_all, many, far, addresses);
  THREE(BLOCKING, Neighbor_a, _c, ring, is_from_neighbours, many, far, addresses);
  THREE(NONBLOCKING, Ineighbor_a, _c, ring, is_from_neighbours, many, far, addresses);
}
#endif

static void look(const char* name) {
  printf("%s is %s\n", name, dlsym(RTLD_DEFAULT, name) == NULL ? "absent" : "there");
}

int main(int argc, char** argv) {
  int ranks;
  const int periodic = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  of_mpi_3();
#if MPI_VERSION >= 4
  of_mpi_4();
#endif
  if (rank == 0) {
    look("MPI_Alltoall_init");
    look("MPI_Alltoall_init_c");
  }
  MPI_Comm_free(&ring);
  /* Where a rank is wrong, the launcher may end the others, so what rank 0 prints is written first. */
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong;
}
