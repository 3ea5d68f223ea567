// Stands in for a contender that is linked to another MPI library.
extern "C" __attribute__((visibility("default"))) int MPI_Get_library_version(char*, int*) {
  return 0;
}
