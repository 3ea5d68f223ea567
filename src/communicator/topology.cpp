#include "communicator/topology.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "mpi/error.hpp"

namespace rondo::communicator {

using mpi::check;

namespace {

int kind_of(MPI_Comm comm) {
  int inter = 0;
  check(PMPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  int kind = MPI_UNDEFINED;
  if (inter == 0) check(PMPI_Topo_test(comm, &kind), "MPI_Topo_test");
  return kind;
}

/// The edges match in the order of their numbers.
Edges in_order(std::vector<int> ranks) {
  Edges edges{.ranks = std::move(ranks), .matching = {}};
  edges.matching.resize(edges.ranks.size());
  std::iota(edges.matching.begin(), edges.matching.end(), 0);
  return edges;
}

bool has_several(std::vector<int> ranks) {
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) != ranks.end();
}

Topology graph_of(std::vector<int> to, std::vector<int> from) {
  const bool is_ambiguous = has_several(to) || has_several(from);
  return {.to = in_order(std::move(to)),
          .from = in_order(std::move(from)),
          .is_ambiguous = is_ambiguous};
}

/// Edges 2 d and 2 d + 1 lead to the neighbours in the negative and in the positive direction of
/// dimension d.
Topology read_cartesian(MPI_Comm comm) {
  int dimensions = 0;
  check(PMPI_Cartdim_get(comm, &dimensions), "MPI_Cartdim_get");
  const auto length = static_cast<std::size_t>(dimensions) + 1;  // so that no array is empty
  std::vector<int> sizes(length), periods(length), coordinates(length);
  check(PMPI_Cart_get(comm, dimensions, sizes.data(), periods.data(), coordinates.data()),
        "MPI_Cart_get");
  std::vector<int> ranks(2 * static_cast<std::size_t>(dimensions));
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int* const pair = ranks.data() + 2 * dimension;
    check(PMPI_Cart_shift(comm, dimension, 1, &pair[0], &pair[1]), "MPI_Cart_shift");
  }
  Topology topology{.to = in_order(ranks), .from = in_order(ranks)};
  // What is sent along edge 2 d comes along edge 2 d + 1, and the other way round.
  for (int& edge : topology.from.matching) edge ^= 1;
  for (std::size_t i = 0; i + 1 < length; ++i)
    topology.is_ambiguous = topology.is_ambiguous || (periods[i] != 0 && sizes[i] <= 2);
  return topology;
}

Topology read_graph(MPI_Comm comm) {
  int rank = 0;
  int count = 0;
  check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(PMPI_Graph_neighbors_count(comm, rank, &count), "MPI_Graph_neighbors_count");
  std::vector<int> ranks(static_cast<std::size_t>(count) + 1);
  check(PMPI_Graph_neighbors(comm, rank, count, ranks.data()), "MPI_Graph_neighbors");
  ranks.pop_back();
  return graph_of(ranks, ranks);
}

Topology read_distributed(MPI_Comm comm) {
  int sources = 0;
  int destinations = 0;
  int is_weighted = 0;
  check(PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &is_weighted),
        "MPI_Dist_graph_neighbors_count");
  const auto array_of = [](int count) {
    return std::vector<int>(static_cast<std::size_t>(count) + 1);
  };
  std::vector<int> from = array_of(sources), to = array_of(destinations);
  std::vector<int> from_weights = from, to_weights = to;
  check(PMPI_Dist_graph_neighbors(comm, sources, from.data(), from_weights.data(), destinations,
                                  to.data(), to_weights.data()),
        "MPI_Dist_graph_neighbors");
  from.pop_back();
  to.pop_back();
  return graph_of(std::move(to), std::move(from));
}

}  // namespace

Topology topology_of(std::vector<int> to, std::vector<int> from) {
  Topology topology = graph_of(std::move(to), std::move(from));
  topology.is_ambiguous = true;  // nothing is forwarded then
  return topology;
}

bool has_topology(MPI_Comm comm) {
  return kind_of(comm) != MPI_UNDEFINED;
}

void throw_no_topology() {
  throw Error(ErrorClass::communicator,
              "comm has no topology; a neighbourhood exchange needs one, as made by "
              "MPI_Cart_create or MPI_Dist_graph_create_adjacent",
              MPI_ERR_TOPOLOGY);
}

Topology read_topology(MPI_Comm comm) {
  const int kind = kind_of(comm);
  if (kind == MPI_CART) return read_cartesian(comm);
  if (kind == MPI_GRAPH) return read_graph(comm);
  if (kind == MPI_DIST_GRAPH) return read_distributed(comm);
  throw_no_topology();
}

}  // namespace rondo::communicator
