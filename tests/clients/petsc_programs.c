/* A program that knows nothing of Rondo: what PETSc exchanges all-to-all, checked, ROUNDS times.
 *
 *   petsc_programs transform   a discrete Fourier transform and its inverse (MATFFTW: FFTW's MPI part)
 *   petsc_programs solve       a sparse linear system by LU factorisation (SuperLU_DIST)
 *
 * Options of PETSc may follow. Rank 0 prints the relative error and `right` or `WRONG`. */
#include <petscksp.h>
#include <string.h>

enum { ROUNDS = 3, SIDE = 24, N0 = 16, N1 = 32, N2 = 10 };
#define LARGEST_ERROR 1e-10

/* The norm of the difference over that of what is expected. `found` is overwritten. */
static PetscErrorCode relative_error(Vec found, Vec expected, PetscReal* error) {
  PetscReal size;
  PetscFunctionBeginUser;
  PetscCall(VecNorm(expected, NORM_2, &size));
  PetscCall(VecAXPY(found, -1, expected));
  PetscCall(VecNorm(found, NORM_2, error));
  *error /= size;
  PetscFunctionReturn(0);
}

static PetscErrorCode there_and_back(Mat fft, Vec data) {
  Vec in, spectrum, out;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecsFFTW(fft, &in, &spectrum, &out));
  PetscCall(VecScatterPetscToFFTW(fft, data, in));
  PetscCall(MatMult(fft, in, spectrum));
  PetscCall(MatMultTranspose(fft, spectrum, out));
  PetscCall(VecScatterFFTWToPetsc(fft, out, data));
  PetscCall(VecScale(data, 1.0 / (N0 * N1 * N2)));
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&spectrum));
  PetscCall(VecDestroy(&out));
  PetscFunctionReturn(0);
}

static PetscErrorCode transform(PetscReal* error) {
  PetscInt sizes[3] = {N0, N1, N2};
  Mat fft;
  Vec data, original;
  PetscFunctionBeginUser;
  PetscCall(MatCreateFFT(PETSC_COMM_WORLD, 3, sizes, MATFFTW, &fft));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, N0 * N1 * N2, &data));
  PetscCall(VecSetRandom(data, NULL));
  PetscCall(VecDuplicate(data, &original));
  PetscCall(VecCopy(data, original));
  for (int round = 0; round < ROUNDS; ++round) PetscCall(there_and_back(fft, data));
  PetscCall(relative_error(data, original, error));
  PetscCall(VecDestroy(&data));
  PetscCall(VecDestroy(&original));
  PetscCall(MatDestroy(&fft));
  PetscFunctionReturn(0);
}

/* The five-point Laplacian of a square with SIDE points a side. */
static PetscErrorCode laplacian(Mat* matrix) {
  PetscInt first, end;
  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, SIDE * SIDE, SIDE * SIDE, 5,
                         NULL, 4, NULL, matrix));
  PetscCall(MatGetOwnershipRange(*matrix, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    const PetscInt column = i % SIDE;
    PetscCall(MatSetValue(*matrix, i, i, 4, INSERT_VALUES));
    if (column > 0) PetscCall(MatSetValue(*matrix, i, i - 1, -1, INSERT_VALUES));
    if (column < SIDE - 1) PetscCall(MatSetValue(*matrix, i, i + 1, -1, INSERT_VALUES));
    if (i >= SIDE) PetscCall(MatSetValue(*matrix, i, i - SIDE, -1, INSERT_VALUES));
    if (i + SIDE < SIDE * SIDE) PetscCall(MatSetValue(*matrix, i, i + SIDE, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode solver_of(Mat matrix, KSP* solver) {
  PC factors;
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, solver));
  PetscCall(KSPSetOperators(*solver, matrix, matrix));
  PetscCall(KSPSetType(*solver, KSPPREONLY));
  PetscCall(KSPGetPC(*solver, &factors));
  PetscCall(PCSetType(factors, PCLU));
  PetscCall(PCFactorSetMatSolverType(factors, MATSOLVERSUPERLU_DIST));
  PetscCall(KSPSetFromOptions(*solver));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(PetscReal* error) {
  Mat matrix;
  Vec found, expected, right_side;
  KSP solver;
  PetscFunctionBeginUser;
  PetscCall(laplacian(&matrix));
  PetscCall(MatCreateVecs(matrix, &found, &right_side));
  PetscCall(VecDuplicate(found, &expected));
  PetscCall(VecSetRandom(expected, NULL));
  PetscCall(MatMult(matrix, expected, right_side));
  PetscCall(solver_of(matrix, &solver));
  for (int round = 0; round < ROUNDS; ++round) PetscCall(KSPSolve(solver, right_side, found));
  PetscCall(relative_error(found, expected, error));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&found));
  PetscCall(VecDestroy(&expected));
  PetscCall(VecDestroy(&right_side));
  PetscCall(MatDestroy(&matrix));
  PetscFunctionReturn(0);
}

int main(int words, char** word) {
  PetscReal error = 1;
  const int is_solve = words > 1 && strcmp(word[1], "solve") == 0;
  PetscCall(PetscInitialize(&words, &word, NULL, NULL));
  PetscCall(is_solve ? solve(&error) : transform(&error));
  const int is_right = error <= LARGEST_ERROR;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "error %.3g: %s\n", (double)error,
                        is_right ? "right" : "WRONG"));
  PetscCall(PetscFinalize());
  return is_right ? 0 : 1;
}
