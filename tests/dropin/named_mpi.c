/* A library that has only the name of one of MPI's libraries, the symbol by which Open MPI is recognized, and the one by
 * which Rondo sees that Open MPI loads components. */
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
