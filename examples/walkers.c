/* Random walkers on a graph whose nodes are spread over the ranks. In every step each walker moves to
 * another node, and goes to the rank that owns it. How many come from where is not known before.
 *   mpicc -O2 walkers.c -o walkers && mpirun -n 4 ./walkers [STEPS [WALKERS_OF_A_RANK]]
 * With -DWITH_RONDO one exchange of Rondo takes the place of two of MPI.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_RONDO
#include <rondo/rondo.h>
#endif

enum { kNodes = 1 << 16, kSteps = 100000, kWalkers = 32, kLooks = 64 };

typedef struct {
  int *counts, *displs;         /* of what this rank sends to each rank */
  int *recvcounts, *recvdispls; /* of what comes from each rank */
  uint64_t *send, *recv;        /* walkers; each has room for all that there are */
  int here, most;               /* how many walkers are in recv, and how many there are in all */
} Walkers;

static int ranks;

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static int owner(uint64_t walker) {
  return (int)(walker % kNodes * (uint64_t)ranks / kNodes);
}

/* A walker looks at many links of its node, and takes the one with the greatest weight. */
static uint64_t moved(uint64_t walker) {
  uint64_t best = 0;
  for (uint64_t link = 0; link < kLooks; ++link) {
    const uint64_t weight = mix(walker + link);
    if (weight > best) best = weight;
  }
  return best;
}

static int sum_of(const int* counts, int* displs) {
  int sum = 0;
  for (int q = 0; q < ranks; sum += counts[q++]) displs[q] = sum;
  return sum;
}

/* Moves all walkers, and puts those for each rank next to each other. */
static void move(Walkers* w) {
  memset(w->counts, 0, (size_t)ranks * sizeof(int));
  for (int i = 0; i < w->here; ++i) {
    w->recv[i] = moved(w->recv[i]);
    ++w->counts[owner(w->recv[i])];
  }
  sum_of(w->counts, w->displs);
  for (int i = 0; i < w->here; ++i) w->send[w->displs[owner(w->recv[i])]++] = w->recv[i];
  sum_of(w->counts, w->displs);
}

static void exchange(Walkers* w) {
#ifdef WITH_RONDO
  Rondo_Alltoallv_dynamic(w->send, w->counts, w->displs, MPI_UINT64_T, w->recv, w->most,
                          w->recvcounts, w->recvdispls, MPI_UINT64_T, MPI_COMM_WORLD);
#else
  MPI_Alltoall(w->counts, 1, MPI_INT, w->recvcounts, 1, MPI_INT, MPI_COMM_WORLD);
  sum_of(w->recvcounts, w->recvdispls);
  MPI_Alltoallv(w->send, w->counts, w->displs, MPI_UINT64_T, w->recv, w->recvcounts, w->recvdispls,
                MPI_UINT64_T, MPI_COMM_WORLD);
#endif
  w->here = w->recvdispls[ranks - 1] + w->recvcounts[ranks - 1];
}

/* The sum of the nodes of all walkers, on rank 0: the same however they are exchanged. */
static uint64_t sum_of_all(const Walkers* w) {
  uint64_t own = 0, sum = 0;
  for (int i = 0; i < w->here; ++i) own += w->recv[i] % kNodes;
  MPI_Reduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : kSteps;
  const int own = argc > 2 ? atoi(argv[2]) : kWalkers;
  const int most = own * ranks;

  int* numbers = malloc(4 * (size_t)ranks * sizeof(int));
  uint64_t* places = malloc(2 * (size_t)most * sizeof(uint64_t));
  Walkers w = {.counts = numbers,
               .displs = numbers + ranks,
               .recvcounts = numbers + 2 * ranks,
               .recvdispls = numbers + 3 * ranks,
               .send = places,
               .recv = places + most,
               .here = own,
               .most = most};
  for (int i = 0; i < own; ++i) w.recv[i] = mix((uint64_t)(rank * own + i));

  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    move(&w);
    exchange(&w);
  }
  const double seconds = MPI_Wtime() - start;

  const uint64_t sum = sum_of_all(&w);
  if (rank == 0)
    printf("%d walkers, %d steps: sum %llu, %.2f s\n", most, steps, (unsigned long long)sum,
           seconds);

  free(places);
  free(numbers);
  MPI_Finalize();
  return 0;
}
