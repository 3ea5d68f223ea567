// The edges of a communicator's topology, as MPI's neighbourhood collectives number them.
#pragma once

#include <mpi.h>

#include <vector>

namespace rondo::communicator {

/// The edges from one rank, or those to it.
struct Edges {
  std::vector<int> ranks;     ///< at the other end, by edge; MPI_PROC_NULL if there is none
  std::vector<int> matching;  ///< the edges in the order in which those of a pair of ranks match

  int count() const { return static_cast<int>(ranks.size()); }
};

/// The k-th edge from rank a to rank b among `to` of rank a, in the order of `matching`, is the k-th
/// among `from` of rank b.
struct Topology {
  Edges to;
  Edges from;

  /// Whether MPI libraries differ in which edges match. This is so on a Cartesian topology with a
  /// periodic dimension of one or two ranks. MPI 4.0 says that what is sent to the neighbour in the
  /// negative direction arrives as coming from the one in the positive direction (section 8.6). Before,
  /// it did not say that, and some libraries match edges in the order of their numbers. It is also so on
  /// a graph with several edges from one rank to another, which MPICH 4.0 matches in the opposite order
  /// in MPI_Neighbor_alltoall.
  bool is_ambiguous = false;
};

/// Local. The edges to these ranks and from those, of which the MPI library knows nothing.
Topology topology_of(std::vector<int> to, std::vector<int> from);

/// Local. Whether `comm` has a topology.
bool has_topology(MPI_Comm comm);

/// Throws an error of class MPI_ERR_TOPOLOGY.
[[noreturn]] void throw_no_topology();

/// Local. Whether the topology is ambiguous is what this rank sees of it. Throws an error of class
/// MPI_ERR_TOPOLOGY if `comm` has no topology.
Topology read_topology(MPI_Comm comm);

}  // namespace rondo::communicator
