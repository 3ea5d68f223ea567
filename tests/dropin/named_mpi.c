/* A library that has only the name of one of an MPI, and the symbols by which Open MPI is recognized, and whether it
 * loads components. */
int named_mpi_is_loaded(void);
int named_mpi_is_loaded(void) {
  return 1;
}
#ifdef NAMES_OPENMPI
int ompi_mpi_comm_world;
#endif
#ifdef LOADS_COMPONENTS
int mca_dl_dlopen_component;
#endif
