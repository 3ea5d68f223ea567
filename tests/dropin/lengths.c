/* Runs MPI_Alltoallv with short blocks, then long ones, then short ones, and checks every byte.
 *
 * lengths SHORT LONG AFTER     that many calls of each; prints how many were right
 * lengths library              prints how the MPI library calls itself */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, LONGEST = 1000, SHORTEST = 10 };

static unsigned char byte(int call, int from, int to, int i) {
  return (unsigned char)(call * 31 + from * 7 + to * 3 + i);
}

/* At most `longest`. In every call some block has that length. */
static int length(int call, int from, int to, int longest) {
  return longest - (call + from + 2 * to) % 4 * (longest / 4);
}

static int is_right(int call, int longest, int rank, int ranks) {
  static unsigned char sent[MOST_RANKS][LONGEST], received[MOST_RANKS][LONGEST];
  int counts[MOST_RANKS], expected[MOST_RANKS], places[MOST_RANKS];
  memset(received, 0xee, sizeof received);
  for (int q = 0; q < ranks; ++q) {
    places[q] = q * LONGEST;
    counts[q] = length(call, rank, q, longest);
    expected[q] = length(call, q, rank, longest);
    for (int i = 0; i < counts[q]; ++i) sent[q][i] = byte(call, rank, q, i);
  }
  MPI_Alltoallv(sent, counts, places, MPI_BYTE, received, expected, places, MPI_BYTE,
                MPI_COMM_WORLD);
  for (int q = 0; q < ranks; ++q)
    for (int i = 0; i < LONGEST; ++i)
      if (received[q][i] != (i < expected[q] ? byte(call, q, rank, i) : 0xee)) return 0;
  return 1;
}

static void print_library(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int bytes;
  MPI_Get_library_version(text, &bytes);
  printf("%s\n", text);
}

int main(int argc, char** argv) {
  int rank, ranks, right = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 4 && ranks <= MOST_RANKS) {
    const int longest[3] = {SHORTEST, LONGEST, SHORTEST};
    for (int phase = 0, call = 0; phase < 3; ++phase)
      for (int left = atoi(argv[phase + 1]); left > 0; --left)
        right += is_right(call++, longest[phase], rank, ranks);
    MPI_Reduce(&right, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("right: %d\n", all);
  } else if (rank == 0) {
    print_library();
  }
  MPI_Finalize();
  return 0;
}
