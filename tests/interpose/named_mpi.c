/* A library that has nothing of MPI but the name. */
int named_mpi_is_loaded(void);
int named_mpi_is_loaded(void) {
  return 1;
}
