/* A program that knows nothing of Rondo: three-dimensional discrete Fourier transforms by FFTW, spread
 * over MPI ranks by planes.
 *
 *   mpicc fftw_transform.c -lfftw3_mpi -lfftw3 -lm -o fftw_transform
 *   mpirun -n RANKS fftw_transform N0 N1 N2 ITERATIONS
 *
 * An iteration is a transform there and one back. Each exchanges all data once: out of place, and with
 * the transposition left as it is (FFTW_MPI_TRANSPOSED_OUT, _IN), FFTW_ESTIMATE's plan does that by
 * MPI_Alltoall where all ranks have equally many planes and lines, else by MPI_Alltoallv. Otherwise FFTW
 * may send pairwise. Printed are the seconds of a transform, on the slowest rank, and two relative errors
 * in the Euclidean norm: of the data after all iterations, and of a transform against that of FFTW
 * without MPI on one rank. Status 1 if one is above 1e-12. */
#include <fftw3-mpi.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST_ERROR 1e-12
#define REALS_OF_COMPLEX 2

struct slab {
  ptrdiff_t first, count;
};

struct transform {
  ptrdiff_t sizes[3];
  int iterations;
  int rank, ranks;
  struct slab rows;    /* of the first dimension, which is distributed before a transform */
  struct slab columns; /* of the second, which is after it */
  fftw_complex *data, *spectrum;
  fftw_plan forward, backward;
};

static void fail(const struct transform* t, const char* what) {
  if (t->rank == 0) fprintf(stderr, "fftw_transform: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

static void parse(struct transform* t, int words, char** word) {
  if (words != 5) fail(t, "needs N0 N1 N2 ITERATIONS");
  for (int d = 0; d < 3; ++d) t->sizes[d] = atol(word[1 + d]);
  t->iterations = atoi(word[4]);
  if (t->sizes[0] < 1 || t->sizes[1] < 1 || t->sizes[2] < 1 || t->iterations < 1)
    fail(t, "needs positive numbers");
}

static ptrdiff_t elements(const struct transform* t) {
  return t->sizes[0] * t->sizes[1] * t->sizes[2];
}

static fftw_complex* allocate(const struct transform* t, ptrdiff_t count) {
  fftw_complex* memory = fftw_alloc_complex((size_t)count + 1);
  if (memory == NULL) fail(t, "there is no memory for the data; take smaller sizes");
  return memory;
}

static void plan(struct transform* t) {
  const ptrdiff_t count = fftw_mpi_local_size_many_transposed(
      3, t->sizes, 1, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD,
      &t->rows.count, &t->rows.first, &t->columns.count, &t->columns.first);
  const unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;
  t->data = allocate(t, count);
  t->spectrum = allocate(t, count);
  t->forward = fftw_mpi_plan_dft(3, t->sizes, t->data, t->spectrum, MPI_COMM_WORLD, FFTW_FORWARD,
                                 flags | FFTW_MPI_TRANSPOSED_OUT);
  t->backward = fftw_mpi_plan_dft(3, t->sizes, t->spectrum, t->data, MPI_COMM_WORLD, FFTW_BACKWARD,
                                  flags | FFTW_MPI_TRANSPOSED_IN);
  if (t->forward == NULL || t->backward == NULL) fail(t, "FFTW has no plan for these sizes");
}

/* Element i of the whole data. There is no pattern that would hide a misplaced block. */
static void original(ptrdiff_t i, fftw_complex value) {
  unsigned long long bits = 0x9e3779b97f4a7c15ULL * (unsigned long long)(i + 1);
  bits ^= bits >> 29;
  bits *= 0xbf58476d1ce4e5b9ULL;
  value[0] = (double)(bits >> 40) / (double)(1 << 24) - 0.5;
  value[1] = (double)(bits & 0xffffff) / (double)(1 << 24) - 0.5;
}

static ptrdiff_t first_element(const struct transform* t) {
  return t->rows.first * t->sizes[1] * t->sizes[2];
}

static ptrdiff_t own_elements(const struct transform* t) {
  return t->rows.count * t->sizes[1] * t->sizes[2];
}

static void fill(const struct transform* t) {
  for (ptrdiff_t i = 0; i < own_elements(t); ++i) original(first_element(t) + i, t->data[i]);
}

static void there_and_back(const struct transform* t) {
  const double scale = 1.0 / (double)elements(t);
  fftw_execute(t->forward);
  fftw_execute(t->backward);
  for (ptrdiff_t i = 0; i < own_elements(t); ++i) {
    t->data[i][0] *= scale;
    t->data[i][1] *= scale;
  }
}

/* Adds |a - b|^2 and |b|^2 to the sums. */
static void add_difference(const fftw_complex a, const fftw_complex b, double sums[2]) {
  sums[0] += (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
  sums[1] += b[0] * b[0] + b[1] * b[1];
}

static double relative(const double sums[2]) {
  return sums[0] == 0 ? 0 : sqrt(sums[0] / sums[1]);
}

static double error_of_data(const struct transform* t) {
  double own[2] = {0, 0}, all[2];
  for (ptrdiff_t i = 0; i < own_elements(t); ++i) {
    fftw_complex expected;
    original(first_element(t) + i, expected);
    add_difference(t->data[i], expected, own);
  }
  MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return relative(all);
}

/* The whole spectrum on rank 0, its columns before its rows; null on the others. */
static fftw_complex* gather(const struct transform* t) {
  if (elements(t) > INT_MAX / REALS_OF_COMPLEX)
    fail(t, "rank 0 cannot check as many data as that; take smaller sizes");
  const ptrdiff_t column = t->sizes[0] * t->sizes[2] * REALS_OF_COMPLEX;
  int own[2] = {(int)(t->columns.count * column), (int)(t->columns.first * column)};
  int* all = malloc(2 * (size_t)t->ranks * sizeof *all);
  int* counts = malloc((size_t)t->ranks * sizeof *counts);
  int* displs = malloc((size_t)t->ranks * sizeof *displs);
  if (all == NULL || counts == NULL || displs == NULL) fail(t, "there is no memory for counts");
  MPI_Gather(own, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
  for (int q = 0; q < t->ranks && t->rank == 0; ++q) {
    counts[q] = all[2 * q];
    displs[q] = all[2 * q + 1];
  }
  fftw_complex* whole = t->rank == 0 ? allocate(t, elements(t)) : NULL;
  MPI_Gatherv(t->spectrum, own[0], MPI_DOUBLE, whole, counts, displs, MPI_DOUBLE, 0,
              MPI_COMM_WORLD);
  free(all);
  free(counts);
  free(displs);
  return whole;
}

static double error_against_serial(const struct transform* t, fftw_complex* transposed) {
  double sums[2] = {0, 0};
  fftw_complex* serial = allocate(t, elements(t));
  const int sizes[3] = {(int)t->sizes[0], (int)t->sizes[1], (int)t->sizes[2]};
  const fftw_plan whole = fftw_plan_dft(3, sizes, serial, serial, FFTW_FORWARD, FFTW_ESTIMATE);
  if (whole == NULL) fail(t, "FFTW has no plan for these sizes without MPI");
  for (ptrdiff_t i = 0; i < elements(t); ++i) original(i, serial[i]);
  fftw_execute(whole);
  for (ptrdiff_t row = 0; row < t->sizes[0]; ++row)
    for (ptrdiff_t column = 0; column < t->sizes[1]; ++column)
      for (ptrdiff_t i = 0; i < t->sizes[2]; ++i)
        add_difference(transposed[(column * t->sizes[0] + row) * t->sizes[2] + i],
                       serial[(row * t->sizes[1] + column) * t->sizes[2] + i], sums);
  fftw_destroy_plan(whole);
  fftw_free(serial);
  return relative(sums);
}

static double error_of_transform(const struct transform* t) {
  fill(t);
  fftw_execute(t->forward);
  fftw_complex* whole = gather(t);
  double error = t->rank == 0 ? error_against_serial(t, whole) : 0;
  if (t->rank == 0) fftw_free(whole);
  MPI_Bcast(&error, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return error;
}

static double seconds_of_a_transform(const struct transform* t) {
  double own, slowest;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < t->iterations; ++i) there_and_back(t);
  own = (MPI_Wtime() - start) / (2.0 * t->iterations);
  MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

int main(int words, char** word) {
  struct transform t = {.iterations = 0};
  MPI_Init(&words, &word);
  fftw_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &t.ranks);
  parse(&t, words, word);
  plan(&t);
  fill(&t);
  const double seconds = seconds_of_a_transform(&t);
  const double round_trip = error_of_data(&t), direct = error_of_transform(&t);
  const int is_right = round_trip <= LARGEST_ERROR && direct <= LARGEST_ERROR;
  if (t.rank == 0)
    printf("%td x %td x %td on %d ranks: %.9f s a transform, errors %.3g and %.3g: %s\n",
           t.sizes[0], t.sizes[1], t.sizes[2], t.ranks, seconds, round_trip, direct,
           is_right ? "right" : "WRONG");
  fftw_destroy_plan(t.forward);
  fftw_destroy_plan(t.backward);
  fftw_free(t.data);
  fftw_free(t.spectrum);
  fftw_mpi_cleanup();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
