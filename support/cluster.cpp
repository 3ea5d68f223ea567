#include "support/cluster.hpp"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "support/text.hpp"

namespace rondo::support {

Cluster find_cluster(const Communicator& comm) {
  const int ranks = comm.ranks();
  const Communicator node = comm.of_node();
  const int led_ranks = node.rank() == 0 ? node.ranks() : 0;
  std::vector<int> node_ranks(
      static_cast<std::size_t>(ranks));  // 0 for ranks that are not the first of a node
  check_mpi(MPI_Allgather(&led_ranks, 1, MPI_INT, node_ranks.data(), 1, MPI_INT, comm.get()),
            "MPI_Allgather");
  Cluster cluster;
  cluster.nodes = static_cast<int>(ranks - std::ranges::count(node_ranks, 0));
  cluster.largest_node = std::ranges::max(node_ranks);
  const int per_node =
      std::accumulate(node_ranks.begin(), node_ranks.end(), 0,
                      [](int divisor, int count) { return std::gcd(divisor, count); });
  const bool is_even = cluster.nodes * per_node == ranks;
  cluster.layout = {.ranks = ranks,
                    .nodes = ranks / per_node,
                    .per_node = per_node,
                    .uneven_nodes = is_even ? 0 : cluster.nodes};
  return cluster;
}

long cores() {
  return sysconf(_SC_NPROCESSORS_ONLN);
}

std::string sharing_note(const Cluster& cluster) {
  if (cores() < 1 || cluster.largest_node <= cores()) return "";
  return text(cluster.largest_node, " ranks share ", counted(cores(), "core"),
              " of a node: times measure messages and context switches.");
}

}  // namespace rondo::support
