// Sixteen exchanges of one int per pair. In the last, rank 0 sends two ints to rank P-1. Prints which
// ranks fail.
//
// failing [WAY]    refused = in the last, rank P-1 has a negative count instead; ends = likewise, and ranks that fail
//                  end the program
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kCalls = 16, kMostRanks = 16 };

int main(int argc, char** argv) {
  int rank, ranks, sent[2 * kMostRanks] = {0}, received[2 * kMostRanks];
  const char* const way = argc > 1 ? argv[1] : "";
  int counts[kMostRanks], expected[kMostRanks], places[kMostRanks];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int other = 0; other < ranks; ++other) {
    counts[other] = expected[other] = 1;
    places[other] = 2 * other;
  }
  for (int call = 1; call <= kCalls; ++call) {
    if (call == kCalls && *way == '\0' && rank == 0) counts[ranks - 1] = 2;
    if (call == kCalls && *way != '\0' && rank == ranks - 1) counts[0] = -1;
    const int code = MPI_Alltoallv(sent, counts, places, MPI_INT, received, expected, places,
                                   MPI_INT, MPI_COMM_WORLD);
    if (code == MPI_SUCCESS) continue;
    printf("call %d failed on rank %d\n", call, rank);
    fflush(stdout);
    if (strcmp(way, "ends") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Finalize();
  return 0;
}
