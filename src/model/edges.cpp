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
  return {.waits = messages > 0 ? 1.0 : 0.0, .messages = messages, .bytes = bytes};
}

double mean(double sum, double blocks) {
  return blocks > 0 ? sum / blocks : 0;
}

struct Messages {
  double inside;
  double between;
};

Work work_of_edge_messages(const Layout& layout, const EdgeLoad& load, const Messages& messages) {
  Work work;
  work.inside = messages_of(messages.inside, load.inside.bytes);
  work.inside.messages *=
      1 + std::min(mean(load.inside.bytes, messages.inside), kMostCopiedBytes) / kBytesOfMessage;
  work.between = messages_of(messages.between, load.between.bytes);
  work.node_bytes = ranks_of_node(layout) * load.mean_between.bytes;
  return work;
}

/// What blocks take in messages between nodes. Of a long one only the length is there.
double bytes_in_messages(const EdgeBlocks& blocks) {
  return kLengthBytes * blocks.blocks + blocks.bytes - blocks.long_bytes +
         sizeof(std::uint64_t) * blocks.long_blocks;
}

/// Long blocks go in pieces inside a node and as messages of their own between nodes.
Work work_of_node_messages(const Layout& layout, const EdgeLoad& load) {
  const bool has_long = load.inside.long_blocks + load.between.long_blocks > 0;
  const double ranks = ranks_of_node(layout);
  Work work;
  work.inside.waits = std::clamp(ranks - 1, kLeastWaitsForAll, kMostWaitsForAll);
  work.arrivals = has_long ? 2 : 1;
  work.cells = work.arrivals * (ranks - 1);
  const auto copy = [&](double blocks, double bytes) {
    work.copied_blocks += blocks;
    work.copied_bytes += bytes;
  };
  copy(2 * load.inside.blocks, 2 * load.inside.bytes);
  if (load.messages == 0) return work;
  const double bytes = bytes_in_messages(load.between);
  const double mean_bytes = bytes_in_messages(load.mean_between);
  const double carried_bytes = load.carried * mean(mean_bytes, load.mean_between.blocks);
  work.arrivals += 1;
  work.between = {
      .waits = 1, .messages = load.messages, .bytes = load.messages * kHeaderBytes + carried_bytes};
  // Into the slot, into the message, and out of the landing area.
  copy(2 * load.between.blocks + load.carried, 2 * bytes + carried_bytes);
  work.node_bytes = ranks * (mean_bytes + load.mean_between.long_bytes);
  work.between += messages_of(load.between.long_blocks, load.between.long_bytes);
  return work;
}

}  // namespace

Work work_on_edges(const Choice& choice, const Layout& layout, const EdgeLoad& load) {
  switch (choice.algorithm->shape) {
    case registry::Shape::node:
      return work_of_node_messages(layout, load);
    case registry::Shape::library:
      return work_of_edge_messages(layout, load,
                                   {load.inside.edges + load.own_edges, load.between.edges});
    default:
      return work_of_edge_messages(layout, load, {load.inside.blocks, load.between.blocks});
  }
}

/// All nodes are alike, and a pair of them has nothing if none of a node's ranks has drawn one of the
/// other's.
EdgeLoad random_edges(const Layout& layout, const Load& load, std::size_t threshold) {
  if (layout.ranks == 1) return {};
  const double per_node = ranks_of_node(layout);
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
