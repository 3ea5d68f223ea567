/* Preloaded, it maps the library that TEST_MAPS names into the process, with its symbols global, before
 * the program starts: as a plugin brings a second MPI library along. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void map_library(void) {
  const char* name = getenv("TEST_MAPS");
  if (name != NULL && dlopen(name, RTLD_LAZY | RTLD_GLOBAL) == NULL)
    fprintf(stderr, "map_library: %s\n", dlerror());
}
