/* Preloaded into programs of others: makes blocking exchanges on each communicator that the program makes. Rondo
 * carries out what is started on a communicator only where calls that block have set it up, and most suites make none.
 * MPI allows that the functions below wait for the other ranks, so the exchanges may. */
#include <mpi.h>

enum { MOST = 4096 }; /* ranks, or edges of one of them */

/* Open MPI returns at once from an MPI_Alltoall of no bytes. */
static void exchange(MPI_Comm comm) {
  static const char sent[MOST];
  static char received[MOST];
  static const int none[MOST];
  int topology = MPI_UNDEFINED;
  MPI_Alltoall(sent, 1, MPI_BYTE, received, 1, MPI_BYTE, comm);
  PMPI_Topo_test(comm, &topology);
  if (topology != MPI_UNDEFINED)
    MPI_Neighbor_alltoallv(sent, none, none, MPI_BYTE, received, none, none, MPI_BYTE, comm);
}

static int primed(int code, MPI_Comm comm) {
  int is_inter = 0;
  if (code != MPI_SUCCESS || comm == MPI_COMM_NULL) return code;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (!is_inter) exchange(comm);
  return code;
}

static int primed_at_begin(int code) {
  return primed(primed(code, MPI_COMM_WORLD), MPI_COMM_SELF);
}

int MPI_Init(int* argc, char*** argv) {
  return primed_at_begin(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return primed_at_begin(PMPI_Init_thread(argc, argv, required, provided));
}

/* Fortran's functions call no others of C but those that begin with PMPI. Programs in C have no library with these. */
#define PRIMED_IN_FORTRAN(mpi_init, pmpi_init)       \
  __attribute__((weak)) extern void pmpi_init(int*); \
  void mpi_init(int* error) {                        \
    pmpi_init(error);                                \
    primed_at_begin(MPI_SUCCESS);                    \
  }

PRIMED_IN_FORTRAN(mpi_init_, pmpi_init_)
PRIMED_IN_FORTRAN(mpi_init_f08_, pmpi_init_f08_)

/* A function that makes the communicator `*made`. */
#define PRIMED(Name, PARAMETERS, ...)                  \
  int MPI_##Name PARAMETERS {                          \
    const int code = PMPI_##Name(__VA_ARGS__);         \
    return primed(code, code ? MPI_COMM_NULL : *made); \
  }

PRIMED(Comm_dup, (MPI_Comm comm, MPI_Comm* made), comm, made)
PRIMED(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made), comm, info, made)
PRIMED(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), comm, color, key, made)
PRIMED(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made), comm,
       type, key, info, made)
PRIMED(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), comm, group, made)
PRIMED(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made), comm, group,
       tag, made)
PRIMED(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made), comm, high, made)
PRIMED(Cart_create,
       (MPI_Comm comm, int count, const int dims[], const int periods[], int reorder,
        MPI_Comm* made),
       comm, count, dims, periods, reorder, made)
PRIMED(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* made), comm, remain, made)
PRIMED(Graph_create,
       (MPI_Comm comm, int count, const int index[], const int edges[], int reorder,
        MPI_Comm* made),
       comm, count, index, edges, reorder, made)
PRIMED(Dist_graph_create,
       (MPI_Comm comm, int count, const int sources[], const int degrees[], const int to[],
        const int weights[], MPI_Info info, int reorder, MPI_Comm* made),
       comm, count, sources, degrees, to, weights, info, reorder, made)
PRIMED(Dist_graph_create_adjacent,
       (MPI_Comm comm, int in, const int from[], const int from_weights[], int out, const int to[],
        const int to_weights[], MPI_Info info, int reorder, MPI_Comm* made),
       comm, in, from, from_weights, out, to, to_weights, info, reorder, made)
