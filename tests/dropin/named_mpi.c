/* A library that has nothing of MPI but the name, and what tells Open MPI from others of that name. */
int named_mpi_is_loaded(void);
int named_mpi_is_loaded(void) {
  return 1;
}
#ifdef NAMES_OPENMPI
int ompi_mpi_comm_world;
#endif
