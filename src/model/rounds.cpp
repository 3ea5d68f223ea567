#include "model/rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace rondo::model {

namespace {

/// One message, or two, of each round of a batch.
struct Batch {
  std::int64_t messages = 0;
  double bytes = 0;
  std::int64_t leaving = 0;  ///< messages that leave the node, over all of its ranks
  double leaving_bytes = 0;
  double waits = 0;
};

bool has_second_message(const registry::Handling& handling, int blocks, double bytes) {
  if (handling.second == registry::SecondMessage::when_long) {
    // The receiver has room for sizes of 8 bytes, which blocks past 4 GiB have.
    const double room = handling.header_bytes + 2.0 * handling.size_bytes * blocks;
    return bytes > std::max<double>(registry::kShortMessageBytes, room);
  }
  return handling.second == registry::SecondMessage::always;
}

/// The bytes of `messages` of those that leave. Divided like this, whole numbers stay whole, and
/// equal work costs exactly the same.
double bytes_of_leaving(const Batch& batch, std::int64_t messages) {
  if (messages == 0) return 0;
  if (messages == batch.messages) return batch.bytes;
  const double for_one = static_cast<double>(batch.leaving) / static_cast<double>(messages);
  return std::min(batch.leaving_bytes / for_one, batch.bytes);
}

class Fold {
 public:
  Fold(const schedule::Group& group, const Nodes& nodes, const Carriage& carriage)
      : group_(group), nodes_(nodes), carriage_(carriage) {}

  void add(std::span<const schedule::Round> rounds) {
    Batch batch;
    for (const schedule::Round& round : rounds) add(round, batch);
    close(batch);
  }

  const Work& work() const { return work_; }

 private:
  void add(const schedule::Round& round, Batch& batch) {
    const registry::Handling& handling = carriage_.handling;
    const int blocks = round.blocks.size();
    const double data = blocks * carriage_.block_bytes;
    const double bytes = handling.header_bytes + blocks * handling.size_bytes + data;
    const int messages = has_second_message(handling, blocks, bytes) ? 2 : 1;
    const int leaving = crossing(group_, nodes_, round.hop);
    batch.messages += messages;
    batch.leaving += std::int64_t{messages} * leaving;
    batch.bytes += bytes;
    batch.waits = std::max<double>(batch.waits, messages);
    batch.leaving_bytes += leaving * bytes;

    const int library_copies = handling.packs_typed ? 2 : 0;
    work_.copy(blocks * (handling.hop_copies + library_copies), carriage_.block_bytes);
    work_.typed_blocks += blocks * library_copies;
  }

  void close(const Batch& batch) {
    const std::int64_t between = (batch.leaving + nodes_.per_node - 1) / nodes_.per_node;
    const std::int64_t inside = batch.messages - between;
    const double between_bytes = bytes_of_leaving(batch, between);
    work_.node_bytes += batch.leaving_bytes;
    work_.between += {.waits = between > 0 ? batch.waits : 0,
                      .messages = static_cast<double>(between),
                      .bytes = between_bytes};
    work_.inside += {.waits = between > 0 ? 0 : batch.waits,
                     .messages = static_cast<double>(inside),
                     .bytes = batch.bytes - between_bytes};
  }

  const schedule::Group& group_;
  Nodes nodes_;
  Carriage carriage_;
  Work work_;
};

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

std::int64_t rounds(const schedule::Schedule& schedule) {
  return static_cast<std::int64_t>(schedule.rounds().size());
}

std::int64_t blocks(const schedule::Schedule& schedule) {
  std::int64_t sum = 0;
  for (const schedule::Round& round : schedule.rounds()) sum += round.blocks.size();
  return sum;
}

int crossing(const schedule::Group& group, const Nodes& nodes, int hop) {
  const int per_node = nodes.per_node;
  if (nodes.nodes == 1) return 0;
  // In a ring, in a torus of these nodes, and by exclusive or with a power of two of them.
  if (hop >= per_node && hop <= group.ranks() - per_node) return per_node;
  int count = 0;
  for (int local = 0; local < per_node; ++local) count += group.add(local, hop) >= per_node ? 1 : 0;
  return count;
}

Work work_of_rounds(const schedule::Schedule& schedule, const Nodes& nodes,
                    const Carriage& carriage) {
  Fold fold(schedule.group(), nodes, carriage);
  schedule.for_each_batch(carriage.ports,
                          [&](std::span<const schedule::Round> rounds) { fold.add(rounds); });
  return fold.work();
}

Work work_of_doubling(const Nodes& nodes, double bytes) {
  const auto doublings = [](int count) -> double {
    return std::bit_width(static_cast<unsigned>(count - 1));
  };
  const auto traffic = [&](double rounds) {
    return Traffic{.waits = rounds, .messages = rounds, .bytes = rounds * bytes};
  };
  return {.inside = traffic(doublings(nodes.per_node)),
          .between = traffic(doublings(nodes.nodes)),
          .node_bytes = nodes.per_node * doublings(nodes.nodes) * bytes};
}

Work work_of_straight(int ranks, int per_node, double share, double mean_bytes) {
  const auto traffic = [&](int others) {
    const double messages = others * share;
    return Traffic{
        .waits = std::min(messages, 1.0), .messages = messages, .bytes = messages * mean_bytes};
  };
  Work work;
  work.inside = traffic(per_node - 1);
  work.between = traffic(ranks - per_node);
  // They are one batch, which takes as long as its longest way.
  if (ranks > per_node) work.inside.waits = 0;
  work.node_bytes = per_node * work.between.bytes;
  work.copy(share, mean_bytes);
  return work;
}

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
