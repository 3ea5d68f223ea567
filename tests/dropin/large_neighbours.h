/* MPI 4's exchanges among neighbours with large counts, on each kind of topology. Where mpi.h is older the
 * program looks whether they are there. */
#pragma once
#include <mpi.h>
#include <string.h>

#if MPI_VERSION < 4
#pragma weak MPI_Neighbor_alltoall_c
#pragma weak MPI_Neighbor_alltoallv_c
#pragma weak MPI_Neighbor_alltoallw_c
int MPI_Neighbor_alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                            MPI_Comm);
int MPI_Neighbor_alltoallv_c(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*,
                             const MPI_Count*, const MPI_Aint*, MPI_Datatype, MPI_Comm);
int MPI_Neighbor_alltoallw_c(const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*,
                             void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*,
                             MPI_Comm);
#endif

enum { MOST_EDGES = 32 };

static int large_forms_are_there(void) {
#if MPI_VERSION < 4
  return MPI_Neighbor_alltoall_c != NULL;
#else
  return 1;
#endif
}

/* Makes the exchanges of `count` ints along each edge, uniform, with one type and with types. */
static void exchange_large(MPI_Comm comm, MPI_Count count, const int* sent,
                           int received[][MOST_EDGES], int codes[3]) {
  MPI_Count counts[MOST_EDGES];
  MPI_Aint displs[MOST_EDGES], bytes[MOST_EDGES];
  MPI_Datatype types[MOST_EDGES];
  for (int i = 0; i < MOST_EDGES; ++i) {
    counts[i] = count;
    displs[i] = i;
    bytes[i] = i * (MPI_Aint)sizeof(int);
    types[i] = MPI_INT;
  }
  codes[0] = MPI_Neighbor_alltoall_c(sent, count, MPI_INT, received[0], count, MPI_INT, comm);
  codes[1] = MPI_Neighbor_alltoallv_c(sent, counts, displs, MPI_INT, received[1], counts, displs,
                                      MPI_INT, comm);
  codes[2] =
      MPI_Neighbor_alltoallw_c(sent, counts, bytes, types, received[2], counts, bytes, types, comm);
}

/* One int along each edge of `comm`, which is freed. */
static int is_right_along(MPI_Comm comm, int own, int out, const int* to, int in, const int* from) {
  int sent[MOST_EDGES], received[3][MOST_EDGES], codes[3], is_right = 1;
  for (int i = 0; i < out; ++i) sent[i] = 100 * own + to[i];
  memset(received, -1, sizeof received);
  exchange_large(comm, 1, sent, received, codes);
  for (int form = 0; form < 3; ++form)
    for (int i = 0; i < in; ++i) is_right &= received[form][i] == 100 * from[i] + own;
  MPI_Comm_free(&comm);
  return is_right;
}

static int is_right_on_ring(int own, int ranks) {
  const int periodic = 1, both[] = {(own + ranks - 1) % ranks, (own + 1) % ranks};
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &comm);
  return is_right_along(comm, own, 2, both, 2, both);
}

/* The ends of the line have one neighbour. */
static int is_right_on_line(int own, int ranks) {
  int ends[MOST_EDGES], neighbours[MOST_EDGES], edges = 0;
  MPI_Comm comm;
  for (int q = 0; q < ranks; ++q) {
    if (q > 0) neighbours[edges++] = q - 1;
    if (q < ranks - 1) neighbours[edges++] = q + 1;
    ends[q] = edges;
  }
  const int first = own == 0 ? 0 : ends[own - 1], degree = ends[own] - first;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, neighbours, 0, &comm);
  return is_right_along(comm, own, degree, neighbours + first, degree, neighbours + first);
}

/* Rank 0 sends to all others. */
static int is_right_on_star(int own, int ranks) {
  const int centre = 0, out = own == 0 ? ranks - 1 : 0, in = own != 0;
  int others[MOST_EDGES];
  MPI_Comm comm;
  for (int q = 1; q < ranks; ++q) others[q - 1] = q;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, &centre, &centre, out, others, others,
                                 MPI_INFO_NULL, 0, &comm);
  return is_right_along(comm, own, out, others, in, &centre);
}

/* What calls the forms with int counts must refuse numbers that exceed an int. */
static int refuses_too_many(void) {
#if MPI_VERSION < 4
  const int one = 1, periodic = 0;
  int codes[3];
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_SELF, 1, &one, &periodic, 0, &grid);
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  exchange_large(grid, (MPI_Count)1 << 40, NULL, (int[3][MOST_EDGES]){{0}}, codes);
  MPI_Comm_free(&grid);
  for (int form = 0; form < 3; ++form)
    if (codes[form] != MPI_ERR_COUNT) return 0;
#endif
  return 1;
}

static int large_neighbours_are_right(int own, int ranks) {
  if (!large_forms_are_there()) return 1;
  return is_right_on_ring(own, ranks) & is_right_on_line(own, ranks) &
         is_right_on_star(own, ranks) & refuses_too_many();
}
