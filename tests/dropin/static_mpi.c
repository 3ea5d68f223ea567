/* What a statically linked MPI library leaves to be seen in a program. */
int MPI_Init(int* argc, char*** argv);
int MPI_Init(int* argc, char*** argv) {
  return argc == 0 && argv == 0;
}
