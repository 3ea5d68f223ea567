#include "neighborhood.hpp"

#include <array>
#include <utility>

#include "halo.hpp"

namespace rondo::bench {

namespace {

using Kind = Distribution::Kind;

Matrix make_stencil(const Distribution& distribution, const Draws& draws) {
  const Stencil stencil{.points = static_cast<int>(distribution.whole),
                        .is_periodic = distribution.is_periodic};
  std::vector<int> grid(static_cast<std::size_t>(stencil.dimensions()));
  check_mpi(MPI_Dims_create(draws.ranks, stencil.dimensions(), grid.data()), "MPI_Dims_create");
  return stencil_lengths(stencil, grid, draws.bytes);
}

/// The first draw for blocks of one byte, with S for each.
Matrix make_edges(const Distribution& distribution, const Draws& draws) {
  const BlockLengths edge(distribution, {.ranks = draws.ranks, .seed = draws.seed, .bytes = 1});
  std::vector<std::uint64_t> entries;
  for (int source = 0; source < draws.ranks; ++source)
    for (int destination = 0; destination < draws.ranks; ++destination)
      entries.push_back(edge(source, destination) * draws.bytes);
  return {draws.ranks, std::move(entries)};
}

Matrix with_equal_lengths(const Matrix& lengths, std::size_t bytes) {
  std::vector<std::uint64_t> entries;
  for (int source = 0; source < lengths.ranks(); ++source)
    for (int destination = 0; destination < lengths.ranks(); ++destination)
      entries.push_back(lengths.bytes(source, destination) != 0 ? bytes : 0);
  return {lengths.ranks(), std::move(entries)};
}

}  // namespace

std::shared_ptr<const Matrix> lengths_in_advance(const Distribution& distribution,
                                                 const Draws& draws, Call call,
                                                 std::shared_ptr<const Matrix> given) {
  const auto shared = [](Matrix matrix) {
    return std::make_shared<const Matrix>(std::move(matrix));
  };
  const bool are_equal = distribution.is_same || call == Call::neighbor_alltoall;
  if (given) return are_equal ? shared(with_equal_lengths(*given, draws.bytes)) : given;
  if (distribution.kind == Kind::stencil) {
    Matrix lengths = make_stencil(distribution, draws);
    return shared(are_equal ? with_equal_lengths(lengths, draws.bytes) : std::move(lengths));
  }
  return is_on_edges(call) ? shared(make_edges(distribution, draws)) : nullptr;
}

Edges edges_of(const Matrix& lengths, int rank) {
  Edges edges;
  for (int peer = 0; peer < lengths.ranks(); ++peer) {
    if (lengths.bytes(rank, peer) != 0) edges.to.push_back(peer);
    if (lengths.bytes(peer, rank) != 0) edges.from.push_back(peer);
  }
  return edges;
}

Communicator connect(const Communicator& comm, const Edges& edges) {
  MPI_Comm graph = MPI_COMM_NULL;
  const auto count = [](const std::vector<int>& ranks) { return static_cast<int>(ranks.size()); };
  check_mpi(MPI_Dist_graph_create_adjacent(comm.get(), count(edges.from), edges.from.data(),
                                           MPI_UNWEIGHTED, count(edges.to), edges.to.data(),
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
            "MPI_Dist_graph_create_adjacent");
  Communicator connected(graph);
  check_mpi(MPI_Comm_free(&graph), "MPI_Comm_free");
  return connected;
}

}  // namespace rondo::bench
