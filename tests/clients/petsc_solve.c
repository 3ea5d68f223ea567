/* A program that knows nothing of Rondo: PETSc solves a sparse linear system, ROUNDS times, by the LU
 * factorisation of SuperLU_DIST, which distributes the matrix by MPI_Alltoall and MPI_Alltoallv.
 *
 * Options of PETSc may follow. Rank 0 prints the relative error and `right` or `WRONG`. */
#include <petscksp.h>

enum { ROUNDS = 3, SIDE = 24 };
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
  PetscCall(PetscInitialize(&words, &word, NULL, NULL));
  PetscCall(solve(&error));
  const int is_right = error <= LARGEST_ERROR;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "error %.3g: %s\n", (double)error,
                        is_right ? "right" : "WRONG"));
  PetscCall(PetscFinalize());
  return is_right ? 0 : 1;
}
