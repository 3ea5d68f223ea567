/* Runs the main function of a library that it loads for itself alone, as Python does with its
 * extensions: loader LIBRARY [ARGUMENT...]. Not linked to MPI. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* library = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* found = library == NULL ? NULL : dlsym(library, "main");
  int (*run)(int, char**);
  if (found == NULL) {
    fprintf(stderr, "loader: %s\n", argc < 2 ? "no library is named" : dlerror());
    return 2;
  }
  memcpy(&run, &found, sizeof run);
  return run(argc - 1, argv + 1);
}
