// Messages between nodes, and long blocks inside them. If one node represents all, it sends to itself.
#include "simulate/play.hpp"

namespace rondo::simulate {

using model::NodeMessage;

void Play::send_between(const std::vector<NodeMessage>& messages) {
  run_.start();
  if (send_part(messages, false)) {
    run_.wait();
    run_.start();
    send_part(messages, true);
  }
  run_.wait();
}

/// The first messages, or the second ones. Returns whether there are second ones.
bool Play::send_part(const std::vector<NodeMessage>& messages, bool second) {
  const int nodes = run_.stage().nodes();
  bool has_second = false;
  for (const NodeMessage& message : messages) {
    for (int node = 0; node < nodes; ++node) {
      const auto number = static_cast<std::uint64_t>(node * message.lanes + message.lane);
      const double bytes = sums_.draw(message.blocks, sums_.key(message.draw), number);
      const bool fits = message.message.holds(bytes);
      has_second |= !fits;
      const int source = node * layout_.per_node + message.leader;
      if (!second)
        run_.spend(source, run_.copy_seconds(message.pieces, message.times * bytes) +
                               run_.size_seconds(message.sizes));
      if (message.hop == 0 || (second && fits)) continue;
      const int to = (node + message.hop) % layout_.nodes;
      const double first_bytes = message.message.header_bytes + (fits ? bytes : 0);
      run_.send(run_.peers().way(source, to * layout_.per_node + message.leader),
                second ? bytes : first_bytes, message.posted);
    }
    run_.visited(static_cast<std::size_t>(nodes));
  }
  return has_second;
}

void Play::copy_long_inside() {
  const Moments& moments = sums_.moments();
  run_.use_memory_for(moments.mean + moments.above_share * moments.above_mean);
  for (int offset = 1; offset < layout_.per_node; ++offset)
    for (int source = 0; source < static_cast<int>(run_.now().size()); ++source)
      copy_long(source, offset);
  run_.use_memory_for(moments.mean);
}

/// The block for the neighbour `offset` above, in the order of the node.
void Play::copy_long(int source, int offset) {
  const int first = node_of(source) * layout_.per_node;
  const int neighbour = first + (source - first + offset) % layout_.per_node;
  const int distance = (neighbour - source + layout_.ranks) % layout_.ranks;
  const double bytes = sums_.single(source, distance);
  if (!is_long(bytes)) return;
  const double seconds = run_.copy_seconds(1, bytes);
  for (const int rank : {source, neighbour}) run_.now()[static_cast<std::size_t>(rank)] += seconds;
}

}  // namespace rondo::simulate
