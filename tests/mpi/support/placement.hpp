// Where the ranks of a row are: on their real nodes or, if all share one, on several pretended ones.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "support/intercept.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

struct Placement {
  const char* name;
  int (*node_of)(int rank, int ranks);  ///< null: where they are
};

/// The nodes on which the ranks are, by the lowest rank of each; placements() finds them.
inline std::vector<int> g_real_nodes;

/// Collective. Nodes that do not exist are left out where there are several that do.
inline std::vector<Placement> placements(int ranks) {
  std::vector<Placement> rows{{"as they are", nullptr}};
  MPI_Comm node = MPI_COMM_NULL;
  int neighbours = 0;
  must(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  must(MPI_Comm_size(node, &neighbours));
  int lowest = 0;
  must(MPI_Comm_rank(MPI_COMM_WORLD, &lowest));
  must(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, node));
  g_real_nodes.resize(static_cast<std::size_t>(ranks));
  must(MPI_Allgather(&lowest, 1, MPI_INT, g_real_nodes.data(), 1, MPI_INT, MPI_COMM_WORLD));
  must(MPI_Comm_free(&node));
  if (neighbours != ranks || ranks < 2) return rows;
  rows.push_back({"on 2 nodes in turn", [](int rank, int) { return rank % 2; }});
  if (ranks > 2)
    rows.push_back({"on 3 unequal nodes", [](int rank, int all) {
                      return rank == all - 1 ? 2 : rank * 3 < all ? 0 : 1;
                    }});
  return rows;
}

/// The node of every rank.
inline std::vector<int> nodes_of(const Placement& placement, int ranks) {
  if (placement.node_of == nullptr) return g_real_nodes;
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    nodes[static_cast<std::size_t>(rank)] = placement.node_of(rank, ranks);
  return nodes;
}

/// One node after the other has its size; more ranks begin again with the first size.
inline std::vector<int> filled_nodes(const std::vector<int>& sizes, int ranks) {
  std::vector<int> nodes;
  for (std::size_t node = 0; static_cast<int>(nodes.size()) < ranks; ++node)
    nodes.insert(nodes.end(), static_cast<std::size_t>(sizes[node % sizes.size()]),
                 static_cast<int>(node));
  nodes.resize(static_cast<std::size_t>(ranks));
  return nodes;
}

/// Ranks are placed so while this lives; the state of a communicator keeps what it saw when it was
/// made.
class PlacedRanks : NonCopyable {
 public:
  explicit PlacedRanks(std::function<int(int world_rank)> node_of_rank) {
    intercept::place_ranks(std::move(node_of_rank));
  }
  explicit PlacedRanks(std::vector<int> nodes)
      : PlacedRanks([nodes = std::move(nodes)](int rank) {
          return nodes[static_cast<std::size_t>(rank)];
        }) {}
  PlacedRanks(const Placement& placement, int ranks) {
    if (placement.node_of != nullptr)
      intercept::place_ranks(
          [node_of = placement.node_of, ranks](int rank) { return node_of(rank, ranks); });
  }
  ~PlacedRanks() { intercept::place_ranks({}); }
};

/// A row of that name with ranks placed so: calls work(arguments..., row).
template <class Work, class... Arguments>
void run_placed(const Placement& placement, Runner& runner, const std::string& name, Work&& work,
                Arguments&&... arguments) {
  runner.run(rondo::text(name, ", ranks ", placement.name), [&](Row& row) {
    const PlacedRanks placed(placement, runner.ranks());
    work(arguments..., row);
  });
}

}  // namespace rondo::testing
