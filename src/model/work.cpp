// Closed forms of messages that need not be counted round by round.
#include "model/work.hpp"

#include <algorithm>

#include "model/trace.hpp"

namespace rondo::model {

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

Work work_of_doubling(const Nodes& nodes, double bytes) {
  const auto traffic = [&](double rounds) {
    return Traffic{.waits = rounds, .messages = rounds, .bytes = rounds * bytes};
  };
  return {.inside = traffic(doublings(nodes.per_node)),
          .between = traffic(doublings(nodes.nodes)),
          .node_bytes = nodes.per_node * 1.0 * doublings(nodes.nodes) * bytes};
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
  return work;
}

}  // namespace rondo::model
