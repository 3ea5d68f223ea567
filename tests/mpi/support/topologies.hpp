// Communicators with topologies.
#pragma once

#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/small.hpp"

namespace rondo::testing {

struct TopologyRow {
  std::string name;
  /// Collective over MPI_COMM_WORLD. The communicator has as many ranks in any order, and returns errors.
  std::function<MPI_Comm()> make;

  /// Whether MPI libraries differ in which edges match.
  bool is_ambiguous = false;
};

/// Those that are worth a row with `ranks` ranks; random ones depend on the seed. On the last one every
/// rank has edges in both directions, but only a middle rank as many to it as from it.
std::vector<TopologyRow> topologies(int ranks, std::uint64_t seed);

/// A distributed graph with an edge of each pair, as many as `edges(source, destination)` says. The
/// lists of the ranks are in an order that depends on the seed.
MPI_Comm new_graph(const std::function<int(int source, int destination)>& edges, std::uint64_t seed,
                   bool is_weighted = false);

/// An edge from every rank to the next.
MPI_Comm new_ring();

}  // namespace rondo::testing
