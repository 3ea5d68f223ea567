// The work of neighbourhood exchanges, with figures that were measured.
#include "model/edges.hpp"

#include <algorithm>
#include <cmath>

#include "model/trace.hpp"

namespace rondo::model {

namespace {

using choice::Choice;
using choice::Layout;

/// With node_aware a rank waits for all ranks of its node, including those with which it exchanges nothing.
/// Each needs its turn on a core. On 2 cores with 8-byte blocks, node_aware was measured to be as fast as
/// the MPI library with 3 or more peers on a node of 4 ranks, 5 or 6 on one of 8 or 16, and about 10 on one
/// of 32. With 2 ranks it needed longer blocks, of 512 bytes. One wait for each other rank, within these
/// bounds, gives the same result.
constexpr double kLeastWaitsForAll = 2;
constexpr double kMostWaitsForAll = 5;

/// Inside a node the MPI library copies a message in several ways until it is long, which takes more time
/// than its bytes alone. Two ranks were measured with Open MPI 4.1: 0.5 microseconds for 8 bytes, 1.0 for
/// 512 and 3.9 for 4096. That is the time of one more message for so many bytes.
constexpr double kBytesOfMessage = 600;
constexpr double kMostCopiedBytes = 4096;

Traffic messages_of(double messages, double bytes) {
  return {.waits = messages > 0 ? 1.0 : 0.0, .messages = messages, .bytes = bytes};
}

double mean(double sum, double blocks) {
  return blocks > 0 ? sum / blocks : 0;
}

/// The bytes of blocks in messages between nodes. A long block has only its length there.
double bytes_in_messages(const EdgeBlocks& blocks) {
  return kEdgeLengthBytes * blocks.blocks + blocks.bytes - blocks.long_bytes +
         kSizeBytes * blocks.long_blocks;
}

/// The fold that counts what the busiest rank does along edges through the memory of the nodes.
struct CountEdges {
  const EdgeLoad& load;
  double ranks_of_node;
  bool has_sent = false;
  Work work{};

  void copy(double blocks, double bytes) {
    work.copied_blocks += blocks;
    work.copied_bytes += bytes;
  }

  void copy_for_partners(bool /*arrived*/) {
    copy(load.inside.blocks, load.inside.bytes);
    if (load.messages > 0) copy(load.between.blocks, bytes_in_messages(load.between));
  }

  /// The wait for messages costs no cells.
  void arrive(double cells) {
    if (has_sent && load.messages == 0) return;
    work.arrivals += 1;
    if (!has_sent) work.cells += cells;
    work.inside.waits = std::clamp(ranks_of_node - 1, kLeastWaitsForAll, kMostWaitsForAll);
  }

  /// Long blocks are messages of their own.
  void send_between_partners() {
    has_sent = true;
    if (load.messages == 0) return;
    const double mean_bytes = bytes_in_messages(load.mean_between);
    const double carried_bytes = load.carried * mean(mean_bytes, load.mean_between.blocks);
    copy(load.carried, carried_bytes);
    work.between = messages_of(load.messages, load.messages * kEdgeHeaderBytes + carried_bytes);
    work.between += messages_of(load.between.long_blocks, load.between.long_bytes);
    work.node_bytes = ranks_of_node * (mean_bytes + load.mean_between.long_bytes);
  }
};

/// A message along every edge or, joined, to every peer.
Work work_of_edge_messages(const Layout& layout, const EdgeLoad& load, double inside,
                           double between) {
  Work work;
  const double copied = std::min(mean(load.inside.bytes, inside), kMostCopiedBytes);
  work.inside = messages_of(inside, load.inside.bytes);
  work.inside.messages *= 1 + copied / kBytesOfMessage;
  work.between = messages_of(between, load.between.bytes);
  work.node_bytes = ranks_of_largest_node(layout) * load.mean_between.bytes;
  return work;
}

}  // namespace

Work work_on_edges(const Choice& choice, const Layout& layout, const EdgeLoad& load) {
  const EdgeBlocks& inside = load.inside;
  if (choice.algorithm->shape == registry::Shape::library)
    return work_of_edge_messages(layout, load, inside.edges + load.own_edges, load.between.edges);
  if (choice.algorithm->shape != registry::Shape::node)
    return work_of_edge_messages(layout, load, inside.blocks, load.between.blocks);
  CountEdges count{.load = load, .ranks_of_node = 1.0 * ranks_of_largest_node(layout)};
  const bool has_long = inside.long_blocks + load.between.long_blocks > 0;
  trace_edges({.choice = choice, .layout = layout, .has_long = has_long}, count);
  return count.work;
}

/// All nodes are alike. A pair of nodes has no message if no rank of one has drawn a rank of the other.
EdgeLoad random_edges(const Layout& layout, const Load& load, std::size_t threshold) {
  if (layout.ranks == 1) return {};
  const double per_node = ranks_of_largest_node(layout);
  const double others = layout.ranks - 1;
  const double partners = load.share * others;
  const auto blocks = [&](double number) -> EdgeBlocks {
    const double bytes = number * load.block_bytes;
    const double share = load.block_bytes > static_cast<double>(threshold) ? 1 : 0;
    return {.edges = number,
            .blocks = number,
            .bytes = bytes,
            .long_blocks = share * number,
            .long_bytes = share * bytes};
  };
  const double inside = load.share * (per_node - 1);
  const double between = partners - inside;
  const double has_none = std::pow(std::max(0.0, 1 - per_node / others), partners * per_node);
  return {.inside = blocks(inside),
          .between = blocks(between),
          .mean_between = blocks(between),
          .messages = (layout.real_nodes() - 1) * (1 - has_none) / per_node,
          .carried = between};
}

}  // namespace rondo::model
