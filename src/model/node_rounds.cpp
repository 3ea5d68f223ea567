// The work of an exchange through the memory of the nodes.
#include <algorithm>
#include <vector>

#include "model/rounds.hpp"

namespace rondo::model {

namespace {

using schedule::NodeMap;
using schedule::NodeSchedule;

int largest_node(const NodeMap& map) {
  int node = 0;
  while (map.size(node) < map.largest_size()) ++node;
  return node;
}

/// Messages straight from node to node, dealt out over the ranks.
Work carried_directly(const NodeSchedule& schedule, int node, const registry::Handling& handling,
                      double mean_bytes) {
  const NodeMap& map = schedule.map();
  std::vector<Work> by_rank(static_cast<std::size_t>(map.size(node)));
  double node_bytes = 0;
  const auto& rounds = schedule.between().rounds();
  for (int round = 0; round < static_cast<int>(rounds.size()); ++round) {
    const int to = (node + rounds[static_cast<std::size_t>(round)].hop) % map.nodes();
    for (int lane = 0; lane < schedule.lanes(); ++lane) {
      const int leader = map.local_of(schedule.leader(node, round, lane));
      Work& work = by_rank[static_cast<std::size_t>(leader)];
      const auto share = schedule.share(node, lane);
      // What one rank has for a node is one run.
      const double run_bytes = map.size(to) * mean_bytes;
      const int runs = share.end - share.begin;
      const double bytes = handling.header_bytes + runs * run_bytes;
      work.between += {.waits = 0, .messages = 1, .bytes = bytes};
      work.copy(runs, run_bytes);
      node_bytes += bytes;
    }
  }
  Work busiest =
      *std::ranges::max_element(by_rank, {}, [](const Work& work) { return work.between.bytes; });
  busiest.between.waits = 1;
  busiest.node_bytes = node_bytes;
  return busiest;
}

/// Each lane in log-time rounds over nodes, by one rank of each node.
Work carried_in_rounds(const NodeSchedule& schedule, int node, const registry::Handling& handling,
                       double mean_bytes) {
  const NodeMap& map = schedule.map();
  const int nodes = map.nodes();
  const double run_bytes = map.size(node) * mean_bytes;
  Work work;
  double node_bytes = 0;
  for (int lane = 0; lane < schedule.lanes(); ++lane) {
    const auto share = schedule.share(node, lane);
    const int runs = share.end - share.begin;
    const double message_bytes = runs * run_bytes;
    work = work_of_rounds(schedule.between(), {.nodes = nodes, .per_node = 1},
                          {.handling = handling, .block_bytes = message_bytes, .ports = nodes});
    work.copy((nodes - 1) * runs, run_bytes);
    work.copy(handling.whole_copies * (nodes - 1), message_bytes);
    node_bytes += work.node_bytes;
  }
  work.node_bytes = node_bytes;
  return work;  // of the last lane: none has a larger share
}

}  // namespace

Work work_in_node(int ranks, double mean_bytes) {
  Work work;
  work.arrivals = 1;
  work.cells = ranks - 1;
  work.copy(2 * (ranks - 1) + 1, mean_bytes);
  return work;
}

Work work_between_nodes(const NodeSchedule& schedule, const registry::Handling& handling,
                        double mean_bytes) {
  const NodeMap& map = schedule.map();
  const int node = largest_node(map);
  Work work = schedule.how() == schedule::Between::direct
                  ? carried_directly(schedule, node, handling, mean_bytes)
                  : carried_in_rounds(schedule, node, handling, mean_bytes);
  work.copy(2 * (map.ranks() - map.size(node)), mean_bytes);  // into the slot; from where it landed
  work.arrivals += 1;
  // It sees them land, each in a cache line, but for those that it carries itself: its part of all.
  const double landings = (map.nodes() - 1) * schedule.lanes();
  work.cells += landings * (map.size(node) - 1) / map.size(node);
  return work;
}

}  // namespace rondo::model
