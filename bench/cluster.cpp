#include "cluster.hpp"

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.hpp"

namespace rondo::bench {

namespace {

struct Place {
  int node_ranks = 1;
  int rank_in_node = 0;
};

Place place_in_node(const Communicator& comm) {
  Place place;
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_size(node, &place.node_ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_rank(node, &place.rank_in_node), "MPI_Comm_rank");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  return place;
}

}  // namespace

Cluster find_cluster(const Communicator& comm) {
  const int ranks = comm.ranks();
  const Place place = place_in_node(comm);
  const int led_ranks = place.rank_in_node == 0 ? place.node_ranks : 0;
  std::vector<int> node_ranks(static_cast<std::size_t>(ranks));  // 0 for ranks that lead no node
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
  return text(cluster.largest_node, " ranks share ", cores(), cores() == 1 ? " core" : " cores",
              " of a node: times count messages and switches.");
}

}  // namespace rondo::bench
