// An uneven exchange in C++: rank p sends p + 1 numbers to every rank, so it receives q + 1 numbers
// from rank q. The blocks lie one after the other, so that counts say all; errors are exceptions.
// Build and run:
//   mpicxx -std=c++20 example.cpp $(rondo-config --cflags --libs) -o example && mpirun -n 4 ./example
#include <cstdio>
#include <rondo/rondo.hpp>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const std::vector<int> sendcounts(static_cast<std::size_t>(ranks), rank + 1);
  std::vector<int> recvcounts;
  std::vector<double> expected;
  for (int q = 0; q < ranks; ++q) {
    recvcounts.push_back(q + 1);
    expected.insert(expected.end(), static_cast<std::size_t>(q + 1), q);
  }
  const std::vector<double> send(static_cast<std::size_t>(ranks * (rank + 1)), rank);
  std::vector<double> recv(expected.size());

  bool right = false;
  try {
    rondo::set_algorithm(MPI_COMM_WORLD, "alltoallv", "fused_bruck:radix=2");
    rondo::alltoallv(send, sendcounts, recv, recvcounts, MPI_COMM_WORLD);
    // Without the receiving side, what arrives is returned. No rank needs to know how much that is.
    const auto received = rondo::alltoallv(send, sendcounts, MPI_COMM_WORLD);
    right = recv == expected && received.data == expected && received.counts == recvcounts;
  } catch (const rondo::Exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::printf("rank %d received %zu numbers, %s\n", rank, recv.size(),
              right ? "all right" : "some wrong");
  MPI_Finalize();
  return right ? 0 : 1;
}
