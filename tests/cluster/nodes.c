// Every rank prints: rank, host, ranks of its node, and whether an exchange with all was right.
//   nodes              nothing more
//   nodes exit CODE    and exits with CODE
//   nodes sleep        and sleeps instead of finishing
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kRounds = 10, kInts = 100 };

static int exchange_is_right(int rank, int ranks) {
  int* sent = malloc(sizeof(int) * kInts * ranks);
  int* received = malloc(sizeof(int) * kInts * ranks);
  int right = 1;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kInts * ranks; ++i) {
      sent[i] = (rank * ranks + i / kInts) * kInts + i % kInts + round;
      received[i] = -1;
    }
    MPI_Alltoall(sent, kInts, MPI_INT, received, kInts, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < kInts * ranks; ++i) {
      right &= received[i] == (i / kInts * ranks + rank) * kInts + i % kInts + round;
    }
  }
  free(sent);
  free(received);
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, on_node, length;
  char host[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &on_node);
  MPI_Get_processor_name(host, &length);
  const char* said = exchange_is_right(rank, ranks) ? "right" : "wrong";
  printf("rank %d %s %d %s\n", rank, host, on_node, said);
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "sleep") == 0) sleep(1000);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return argc > 2 ? atoi(argv[2]) : 0;
}
