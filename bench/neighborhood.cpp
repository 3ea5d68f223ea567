#include "neighborhood.hpp"

#include <array>

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

}  // namespace

std::shared_ptr<const Matrix> lengths_in_advance(const Distribution& distribution,
                                                 const Draws& draws, bool along_edges,
                                                 std::shared_ptr<const Matrix> given) {
  if (given) return given;
  if (distribution.kind == Kind::stencil)
    return std::make_shared<const Matrix>(make_stencil(distribution, draws));
  if (along_edges) return std::make_shared<const Matrix>(make_edges(distribution, draws));
  return nullptr;
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
