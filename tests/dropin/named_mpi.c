/* A library that has only the name of one of MPI's libraries, and the symbol by which Open MPI is recognized. */
int named_mpi_is_loaded(void);
int named_mpi_is_loaded(void) {
  return 1;
}
#ifdef NAMES_OPENMPI
int ompi_mpi_comm_world;
#endif
