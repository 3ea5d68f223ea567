// The memory of the nodes, and messages between nodes. Where one node stands for all, it sends to itself.
#include "simulate/play.hpp"

namespace rondo::simulate {

namespace {

using model::NodeMessage;

class PlayNodes final : public PlayBlocks {
 public:
  PlayNodes(Run& run, const Exchange& exchange) : PlayBlocks(run, exchange) {
    run.use_memory_for(sums().moments().mean);
  }

  void send_between(const std::vector<NodeMessage>& messages) {
    run().begin();
    if (send_part(messages, false)) {
      run().wait();
      run().begin();
      send_part(messages, true);
    }
    run().wait();
  }

  void copy_long_inside() {
    const Moments& moments = sums().moments();
    run().use_memory_for(moments.mean + moments.above_share * moments.above_mean);
    for (int offset = 1; offset < layout().per_node; ++offset)
      for (int source = 0; source < static_cast<int>(run().now().size()); ++source)
        copy_long(source, offset);
    run().use_memory_for(moments.mean);
  }

 private:
  /// The first messages, or the second ones. Returns whether there are second ones.
  bool send_part(const std::vector<NodeMessage>& messages, bool second) {
    bool has_second = false;
    for (const NodeMessage& message : messages)
      for (int node = 0; node < run().stage().nodes(); ++node) {
        const double bytes = draw(message, node);
        const bool fits = message.message.holds(bytes);
        has_second |= !fits;
        const Way way = way_of(message, node);
        if (!second)
          run().spend(way.source, run().copy_seconds(message.pieces, message.times * bytes) +
                                      run().size_seconds(message.sizes));
        if (message.hop == 0 || (second && fits)) continue;
        const double first_bytes = message.message.header_bytes + (fits ? bytes : 0);
        run().send(way, second ? bytes : first_bytes, message.posted);
      }
    return has_second;
  }

  double draw(const NodeMessage& message, int node) const {
    const auto number = static_cast<std::uint64_t>(node * message.lanes + message.lane);
    return sums().draw(message.blocks, sums().key(message.draw), number);
  }

  Way way_of(const NodeMessage& message, int node) {
    const int size = layout().per_node;
    const int to = run().stage().nodes() == 1 ? 0 : (node + message.hop) % layout().nodes;
    return {node * size + message.leader, to * size + message.leader, true};
  }

  /// The block for the neighbour `offset` above, in the order of the node.
  void copy_long(int source, int offset) {
    const int ranks = layout().ranks;
    const int first = node_of(source) * layout().per_node;
    const int neighbour = first + (source - first + offset) % layout().per_node;
    const double bytes = sums().above((neighbour - source + ranks) % ranks)(source);
    const double seconds = run().copy_seconds(bytes > 0 ? 1 : 0, bytes);
    for (const int rank : {source, neighbour})
      run().now()[static_cast<std::size_t>(rank)] += seconds;
  }
};

}  // namespace

void play_nodes(Run& run, const Exchange& exchange) {
  PlayNodes fold(run, exchange);
  trace_nodes(fold.task(), fold);
}

}  // namespace rondo::simulate
