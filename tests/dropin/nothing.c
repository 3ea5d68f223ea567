/* A program without MPI. */
#include <stdio.h>

int main(void) {
  return puts("unharmed") < 0;
}
