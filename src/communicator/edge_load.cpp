#include "communicator/edge_load.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "mpi/error.hpp"
#include "mpi/outstanding.hpp"

namespace rondo::communicator {

namespace {

using engines::NodePattern;
using select::EdgeBlocks;
using Numbers = std::array<double, 5>;

/// What this rank sends and receives, each block counted as a half.
class OwnLoad {
 public:
  explicit OwnLoad(const engines::Context& context)
      : context_(context),
        threshold_(static_cast<double>(
            context.defaults(registry::Collective::neighbor_alltoallv, "node_aware").threshold())) {
  }

  /// Without a `side` the blocks have no bytes.
  void add(const std::vector<Peer>& peers, const buffers::Side* side) {
    const schedule::NodeMap& map = context_.nodes;
    const int own = map.node_of(context_.rank);
    for (const Peer& peer : peers) {
      const auto edges = static_cast<double>(peer.edges.size());
      if (peer.rank == context_.rank) {
        own_edges += edges / 2;
        continue;
      }
      const double bytes = side != nullptr ? static_cast<double>(bytes_of(peer, *side)) : 0;
      longest = std::max(longest, bytes);
      add(map.node_of(peer.rank) == own ? inside : between, edges, bytes);
    }
  }

  double own_edges = 0;
  EdgeBlocks inside;
  EdgeBlocks between;
  double longest = 0;

 private:
  void add(EdgeBlocks& blocks, double edges, double bytes) const {
    blocks.edges += edges / 2;
    blocks.blocks += 0.5;
    blocks.bytes += bytes / 2;
    if (bytes <= threshold_) return;
    blocks.long_blocks += 0.5;
    blocks.long_bytes += bytes / 2;
  }

  const engines::Context& context_;
  double threshold_;
};

Numbers numbers_of(const EdgeBlocks& one) {
  return {one.edges, one.blocks, one.bytes, one.long_blocks, one.long_bytes};
}

EdgeBlocks blocks_of(std::span<const double, 5> numbers) {
  return {.edges = numbers[0],
          .blocks = numbers[1],
          .bytes = numbers[2],
          .long_blocks = numbers[3],
          .long_bytes = numbers[4]};
}

struct Carried {
  double messages = 0;
  double blocks = 0;
};

Carried carried(const NodePattern* nodes) {
  if (nodes == nullptr) return {};
  double sent = 0;
  for (const auto& message : nodes->sends) sent += static_cast<double>(message.blocks);
  double received = 0;
  for (const auto& message : nodes->receives)
    received += static_cast<double>(message.blocks.size());
  return {.messages = static_cast<double>(std::max(nodes->sends.size(), nodes->receives.size())),
          .blocks = std::max(sent, received)};
}

}  // namespace

AgreedLoad agree_on_load(engines::Context& context, const OwnEdges& own) {
  OwnLoad load(context);
  load.add(own.peers.to(), own.binding != nullptr ? &own.binding->sending() : nullptr);
  load.add(own.peers.from(), own.binding != nullptr ? &own.binding->receive : nullptr);
  const Numbers inside = numbers_of(load.inside);
  Numbers sum = numbers_of(load.between);
  const Carried lead = carried(own.nodes);
  std::array most = {inside[0],   inside[1],     inside[2],      inside[3],   inside[4],
                     sum[0],      sum[1],        sum[2],         sum[3],      sum[4],
                     lead.blocks, lead.messages, load.own_edges, load.longest};
  mpi::combine_all(context.tagged_comm(), std::span<double>(most),
                   [](double one, double other) { return std::max(one, other); });
  // They are halves of integers, so the order in which they are added does not matter.
  mpi::combine_all(context.tagged_comm(), std::span<double>(sum), std::plus<>());
  for (double& number : sum) number /= context.ranks;
  const std::span all = most;
  return {.load = {.own_edges = most[12],
                   .inside = blocks_of(all.first<5>()),
                   .between = blocks_of(all.subspan<5, 5>()),
                   .mean_between = blocks_of(sum),
                   .messages = most[11],
                   .carried = most[10]},
          .longest = static_cast<std::size_t>(most[13])};
}

}  // namespace rondo::communicator
