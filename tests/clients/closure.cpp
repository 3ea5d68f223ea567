// A program that knows nothing of Rondo: the transitive closure of a graph, spread over MPI ranks by the ends of paths.
//
//   mpicxx -O2 closure.cpp -o closure
//   mpirun -n RANKS closure chain|grid VERTICES
//
// chain: 0 -> 1 -> ... ; grid: a square of that many vertices, with edges to the right and down. An iteration makes
// every path that was found in the last one longer by each edge at its end, and sends it to the rank that owns it: an
// MPI_Alltoall of the counts, and an MPI_Alltoallv of the paths. Prints the number of paths; status 1 if it is wrong.
#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

using Path = std::uint64_t;  // from and to

struct Graph {
  bool is_grid;
  std::uint32_t side;  // of a grid, else the number of vertices

  std::uint32_t vertices() const { return is_grid ? side * side : side; }

  std::vector<std::uint32_t> after(std::uint32_t vertex) const {
    std::vector<std::uint32_t> next;
    if ((vertex + 1) % side != 0) next.push_back(vertex + 1);
    if (is_grid && vertex + side < vertices()) next.push_back(vertex + side);
    return next;
  }

  /// Of a chain, all pairs in order; of a grid, all that lie right or below, without a vertex and itself.
  std::uint64_t paths() const {
    const std::uint64_t pairs = std::uint64_t{side} * (side + 1) / 2;
    return is_grid ? pairs * pairs - vertices() : pairs - side;
  }
};

Path path(std::uint32_t from, std::uint32_t to) {
  return std::uint64_t{from} << 32 | to;
}

/// All paths that other ranks have found for this one.
std::vector<Path> exchanged(const std::vector<std::vector<Path>>& found) {
  const int ranks = static_cast<int>(found.size());
  std::vector<int> counts(found.size()), places(found.size());
  std::vector<int> expected(found.size()), expected_places(found.size());
  std::vector<Path> sent;
  for (int rank = 0; rank < ranks; ++rank) {
    counts[rank] = static_cast<int>(found[rank].size());
    places[rank] = static_cast<int>(sent.size());
    sent.insert(sent.end(), found[rank].begin(), found[rank].end());
  }
  MPI_Alltoall(counts.data(), 1, MPI_INT, expected.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::exclusive_scan(expected.begin(), expected.end(), expected_places.begin(), 0);
  std::vector<Path> received(static_cast<std::size_t>(expected_places.back() + expected.back()));
  MPI_Alltoallv(sent.data(), counts.data(), places.data(), MPI_UINT64_T, received.data(),
                expected.data(), expected_places.data(), MPI_UINT64_T, MPI_COMM_WORLD);
  return received;
}

std::uint64_t all_paths(const Graph& graph, int rank, int ranks) {
  std::unordered_set<Path> known;
  std::vector<Path> last;
  for (std::uint32_t from = 0; from < graph.vertices(); ++from)
    for (const std::uint32_t to : graph.after(from))
      if (static_cast<int>(to % static_cast<std::uint32_t>(ranks)) == rank)
        if (known.insert(path(from, to)).second) last.push_back(path(from, to));
  for (std::uint64_t left = 1; left != 0;) {
    std::vector<std::vector<Path>> found(static_cast<std::size_t>(ranks));
    for (const Path one : last)
      for (const std::uint32_t to : graph.after(static_cast<std::uint32_t>(one)))
        found[to % static_cast<std::uint32_t>(ranks)].push_back(
            path(static_cast<std::uint32_t>(one >> 32), to));
    last.clear();
    for (const Path one : exchanged(found))
      if (known.insert(one).second) last.push_back(one);
    left = last.size();
    MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
  std::uint64_t paths = known.size();
  MPI_Allreduce(MPI_IN_PLACE, &paths, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return paths;
}

}  // namespace

int main(int words, char** word) {
  MPI_Init(&words, &word);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (words != 3 || std::atoi(word[2]) < 1) MPI_Abort(MPI_COMM_WORLD, 2);
  const bool is_grid = std::string(word[1]) == "grid";
  const auto vertices = static_cast<std::uint32_t>(std::atoi(word[2]));
  const Graph graph{
      is_grid, is_grid ? static_cast<std::uint32_t>(std::lround(std::sqrt(vertices))) : vertices};
  const std::uint64_t paths = all_paths(graph, rank, ranks);
  if (rank == 0)
    std::printf("%llu paths, %llu expected\n", static_cast<unsigned long long>(paths),
                static_cast<unsigned long long>(graph.paths()));
  MPI_Finalize();
  return paths == graph.paths() ? 0 : 1;
}
