// The simulated times of exchanges under SimGrid, for comparison with src/simulate.
//
//   test_smpi_times S ALGORITHM...     as in 256 alltoallv/two_phase_bruck
//
// Prints "ALGORITHM SECONDS" for each: the time of the slowest rank in one exchange of blocks of S
// bytes, after a first one that does not count.
#include <mpi.h>
#include <rondo/rondo.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void must(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  std::fprintf(stderr, "%s failed\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct Exchange {
  MPI_Comm comm;
  bool is_uniform;
  int bytes;
  std::vector<char> send;
  std::vector<char> receive;
  std::vector<int> counts;
  std::vector<int> displs;

  Exchange(MPI_Comm on, bool uniform, int size, int ranks)
      : comm(on),
        is_uniform(uniform),
        bytes(size),
        send(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(size)),
        receive(send),
        counts(static_cast<std::size_t>(ranks), size) {
    for (int rank = 0; rank < ranks; ++rank) displs.push_back(rank * size);
  }

  void run() {
    if (is_uniform)
      must(Rondo_Alltoall(send.data(), bytes, MPI_BYTE, receive.data(), bytes, MPI_BYTE, comm),
           "Rondo_Alltoall");
    else
      must(Rondo_Alltoallv(send.data(), counts.data(), displs.data(), MPI_BYTE, receive.data(),
                           counts.data(), displs.data(), MPI_BYTE, comm),
           "Rondo_Alltoallv");
  }
};

/// Ranks leave a barrier one after the other. Here they start within a microsecond of each other.
double seconds(Exchange& exchange) {
  constexpr double kLater = 1;
  double start = MPI_Wtime() + kLater;
  must(MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, exchange.comm), "MPI_Allreduce");
  usleep(static_cast<useconds_t>((start - MPI_Wtime()) * 1e6));
  double times[2];
  times[0] = MPI_Wtime();
  exchange.run();
  times[1] = MPI_Wtime();
  must(MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, exchange.comm), "MPI_Allreduce");
  return times[1] - times[0];
}

void time_algorithm(const std::string& word, int bytes) {
  const auto slash = word.find('/');
  const bool is_uniform = word.substr(0, slash) == "alltoall";
  MPI_Comm comm = MPI_COMM_NULL;
  must(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
  must(Rondo_Comm_set_algorithm(comm, is_uniform ? "alltoall" : "alltoallv",
                                word.substr(slash + 1).c_str()),
       "Rondo_Comm_set_algorithm");
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  Exchange exchange(comm, is_uniform, bytes, ranks);
  exchange.run();
  const double taken = seconds(exchange);
  if (rank == 0) std::printf("%s %.9e\n", word.c_str(), taken);
  must(MPI_Comm_free(&comm), "MPI_Comm_free");
}

}  // namespace

int main(int argc, char** argv) {
  must(MPI_Init(&argc, &argv), "MPI_Init");
  for (int i = 2; i < argc; ++i) time_algorithm(argv[i], std::atoi(argv[1]));
  MPI_Finalize();
}
