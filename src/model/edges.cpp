#include "model/edges.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::model {

namespace {

using choice::Choice;
using choice::Layout;

/// The bytes before the blocks of a message between nodes, and before each block.
constexpr double kHeaderBytes = 24;
constexpr double kLengthBytes = 4;

/// With node_aware a rank also waits for ranks with which it exchanges nothing, and all must have had their
/// turn on a core. Measured on 2 cores with 8-byte blocks, node_aware is as fast as the MPI library from 3
/// peers on with 4 ranks on the node, from 5 or 6 on with 8 and 16, and from about 10 on with 32. With 2
/// ranks it is not, but with 512 bytes it is. A wait for a message for every other rank, within these
/// bounds, accounts for that.
constexpr double kLeastWaitsForAll = 2;
constexpr double kMostWaitsForAll = 5;

/// Inside a node a message of the MPI library takes longer than its bytes would alone, because it is
/// copied in several ways until it is long. Measured with Open MPI 4.1 between two ranks: 0.5 microseconds
/// for 8 bytes, 1.0 for 512 and 3.9 for 4096, which is one message more for so many bytes.
constexpr double kBytesOfMessage = 600;
constexpr double kMostCopiedBytes = 4096;

double ranks_of_node(const Layout& layout) {
  return static_cast<double>((layout.ranks + layout.real_nodes() - 1) / layout.real_nodes());
}

Traffic messages_of(double messages, double bytes) {
  return {.waits = messages > 0 ? 1.0 : 0.0, .messages = messages, .bytes = messages * bytes};
}

Work work_of_edge_messages(const Layout& layout, const EdgeLoad& load) {
  Work work;
  work.inside = messages_of(load.inside, load.block_bytes);
  work.inside.messages *= 1 + std::min(load.block_bytes, kMostCopiedBytes) / kBytesOfMessage;
  work.between = messages_of(load.between, load.block_bytes);
  work.node_bytes = ranks_of_node(layout) * work.between.bytes;
  return work;
}

/// Long blocks go in pieces inside a node and as messages of their own between nodes.
Work work_of_node_messages(const Choice& choice, const Layout& layout, const EdgeLoad& load) {
  const bool is_long = load.block_bytes > static_cast<double>(choice.threshold());
  Work work;
  work.inside.waits = std::clamp(ranks_of_node(layout) - 1, kLeastWaitsForAll, kMostWaitsForAll);
  work.arrivals = is_long ? 2 : 1;
  work.cells = work.arrivals * (ranks_of_node(layout) - 1);
  work.copy(2 * load.inside, load.block_bytes);
  if (load.messages == 0) return work;
  const double bytes =
      is_long ? kLengthBytes + sizeof(std::uint64_t) : kLengthBytes + load.block_bytes;
  work.arrivals += 1;
  work.between = {.waits = 1,
                  .messages = load.messages,
                  .bytes = load.messages * kHeaderBytes + load.carried * bytes};
  // Into the slot, into the message, and out of the landing area.
  work.copy(2 * load.between + load.carried, bytes);
  work.node_bytes = ranks_of_node(layout) * load.between * bytes;
  if (!is_long) return work;
  work.between += messages_of(load.between, load.block_bytes);
  work.node_bytes += ranks_of_node(layout) * load.between * load.block_bytes;
  return work;
}

}  // namespace

Work work_on_edges(const Choice& choice, const Layout& layout, const EdgeLoad& load) {
  return choice.algorithm->shape == registry::Shape::node
             ? work_of_node_messages(choice, layout, load)
             : work_of_edge_messages(layout, load);
}

/// All nodes are alike, and a pair of them has nothing if none of a node's ranks has drawn one of the
/// other's.
EdgeLoad random_edges(const Layout& layout, const Load& load) {
  if (layout.ranks == 1) return {.block_bytes = load.block_bytes};
  const double per_node = ranks_of_node(layout);
  const double others = layout.ranks - 1;
  const double partners = load.share * others;
  EdgeLoad edges;
  edges.inside = load.share * (per_node - 1);
  edges.between = partners - edges.inside;
  const double has_none = std::pow(std::max(0.0, 1 - per_node / others), partners * per_node);
  edges.messages = (layout.real_nodes() - 1) * (1 - has_none) / per_node;
  edges.carried = edges.between;
  edges.block_bytes = load.block_bytes;
  return edges;
}

}  // namespace rondo::model
