// The work of neighbourhood exchanges, with figures that were measured.
#include <algorithm>
#include <cmath>

#include "model/cost.hpp"
#include "model/trace.hpp"
#include "registry/settings.hpp"

namespace rondo::model {

namespace {

using choice::Choice;
using choice::Layout;

/// With node_aware a rank waits for all ranks of its node, including those with which it exchanges nothing.
/// Each needs time on a core. On 2 cores with 8-byte blocks, node_aware was measured to be as fast as
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
  return kNodeLengthBytes * blocks.blocks + blocks.bytes - blocks.long_bytes +
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

  void arrive(double cells) {
    if (has_sent && load.messages == 0) return;
    work.arrivals += 1;
    work.cells += cells;
    work.inside.waits = std::clamp(ranks_of_node - 1, kLeastWaitsForAll, kMostWaitsForAll);
  }

  void send_between_partners() {
    has_sent = true;
    if (load.messages == 0) return;
    const double mean_bytes = bytes_in_messages(load.mean_between);
    const double carried_bytes = load.carried * mean(mean_bytes, load.mean_between.blocks);
    copy(load.carried, carried_bytes);
    work.between = messages_of(load.messages, load.messages * kNodeHeaderBytes + carried_bytes);
    work.node_bytes = ranks_of_node * mean_bytes;
  }

  void send_to_partners(Sent /*sent*/, const Straight& straight) {
    work.between += messages_of(load.between.long_blocks, load.between.long_bytes);
    work.node_bytes += ranks_of_node * load.mean_between.long_bytes;
    if (straight.reaches_inside)
      work.inside += messages_of(load.inside.long_blocks, load.inside.long_bytes);
  }
};

/// A message along every edge or, joined, to every peer, in one batch.
Work work_of_edge_messages(const Layout& layout, const EdgeLoad& load, double inside,
                           double between) {
  Work work;
  const double copied = std::min(mean(load.inside.bytes, inside), kMostCopiedBytes);
  work.inside = messages_of(inside, load.inside.bytes);
  work.inside.messages *= 1 + copied / kBytesOfMessage;
  work.between = messages_of(between, load.between.bytes);
  if (between > 0) work.inside.waits = 0;
  work.node_bytes = ranks_of_largest_node(layout) * load.mean_between.bytes;
  return work;
}

/// The probability that no rank of a node has drawn a rank of another node. Each draws a share of the others.
double chance_of_no_edge(double others, double share, double per_node) {
  double of_rank = 1;
  for (int i = 0; i < per_node; ++i) of_rank *= std::max(0.0, 1 - share * others / (others - i));
  return std::pow(of_rank, per_node);
}

}  // namespace

Work work_on_edges(const Choice& choice, const Layout& layout, const EdgeLoad& load) {
  const EdgeBlocks& inside = load.inside;
  if (choice.algorithm->shape == registry::Shape::library)
    return work_of_edge_messages(layout, load, inside.edges + load.own_edges, load.between.edges);
  if (choice.algorithm->shape != registry::Shape::node)
    return work_of_edge_messages(layout, load, inside.blocks, load.between.blocks);
  CountEdges count{.load = load, .ranks_of_node = 1.0 * ranks_of_largest_node(layout)};
  trace_edges({.choice = choice,
               .layout = layout,
               .has_long = inside.long_blocks + load.between.long_blocks > 0,
               .copies_long = has_pipes(layout, registry::Settings{}.slot_bytes)},
              count);
  return count.work;
}

/// All nodes are alike.
EdgeLoad random_edges(const Layout& layout, const Load& load, double short_bytes) {
  if (layout.ranks == 1) return {};
  const double per_node = ranks_of_largest_node(layout);
  const SplitLoad parts = split(load, short_bytes);
  const auto blocks = [&](double ranks) -> EdgeBlocks {
    const double number = ranks * load.share;
    const double long_blocks = ranks * parts.long_share;
    const double long_bytes = long_blocks * parts.long_mean_bytes;
    return {.edges = number,
            .blocks = number,
            .bytes = ranks * parts.mean_bytes + long_bytes,
            .long_blocks = long_blocks,
            .long_bytes = long_bytes};
  };
  const EdgeBlocks between = blocks(layout.ranks - per_node);
  EdgeLoad found{.inside = blocks(per_node - 1), .between = between, .mean_between = between};
  const double other_nodes = layout.real_nodes() - 1;
  if (other_nodes == 0) return found;
  const double led = std::ceil(other_nodes / per_node);  // by the busiest leader
  found.messages = led * (1 - chance_of_no_edge(layout.ranks - 1, load.share, per_node));
  found.carried = led * per_node * between.blocks / other_nodes;
  return found;
}

}  // namespace rondo::model
