#include "communicator/edge_load.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace rondo::communicator {

namespace {

using engines::NodePattern;
using select::EdgeBlocks;

/// What one rank moves, and what the ranks agree on: numbers only.
struct Moved {
  select::EdgeLoad load;
  double longest = 0;

  /// Adds what this rank sends or receives, each block counted as a half. Without a `side` the blocks have
  /// no bytes.
  void add(const engines::Context& context, const std::vector<Peer>& peers,
           const buffers::Side* side) {
    const schedule::NodeMap& map = context.nodes;
    const int own = map.node_of(context.rank);
    const auto threshold = static_cast<double>(
        context.defaults(registry::Collective::neighbor_alltoallv, "node_aware").threshold());
    for (const Peer& peer : peers) {
      const double halves = static_cast<double>(peer.edges.size()) / 2;
      if (peer.rank == context.rank) {
        load.own_edges += halves;
        continue;
      }
      const double bytes = side != nullptr ? static_cast<double>(bytes_of(peer, *side)) : 0;
      longest = std::max(longest, bytes);
      EdgeBlocks& blocks = map.node_of(peer.rank) == own ? load.inside : load.between;
      blocks.edges += halves;
      blocks.blocks += 0.5;
      blocks.bytes += bytes / 2;
      if (bytes <= threshold) continue;
      blocks.long_blocks += 0.5;
      blocks.long_bytes += bytes / 2;
    }
  }

  void add_messages(const NodePattern& nodes) {
    double sent = 0;
    for (const auto& message : nodes.sends) sent += static_cast<double>(message.blocks);
    double received = 0;
    for (const auto& message : nodes.receives)
      received += static_cast<double>(message.blocks.size());
    load.messages = static_cast<double>(std::max(nodes.sends.size(), nodes.receives.size()));
    load.carried = std::max(sent, received);
  }
};

/// Collective. Combines each of the numbers of which `own` consists.
template <class T, class Combine>
T merged_numbers(const engines::Context& context, const T& own, Combine&& combine) {
  auto numbers = std::bit_cast<std::array<double, sizeof(T) / sizeof(double)>>(own);
  mpi::combine_all(context.tagged_comm(), std::span<double>(numbers), combine);
  return std::bit_cast<T>(numbers);
}

}  // namespace

AgreedLoad load_of_all_ranks(engines::Context& context, const OwnEdges& own) {
  Moved moved;
  moved.add(context, own.peers.to(), own.binding != nullptr ? &own.binding->sending() : nullptr);
  moved.add(context, own.peers.from(), own.binding != nullptr ? &own.binding->receive : nullptr);
  if (own.nodes != nullptr) moved.add_messages(*own.nodes);
  Moved most =
      merged_numbers(context, moved, [](double one, double other) { return std::max(one, other); });
  // They are halves of integers, so the order in which they are added does not matter.
  EdgeBlocks& mean = most.load.mean_between;
  mean = merged_numbers(context, moved.load.between, std::plus<>());
  for (double* const number :
       {&mean.edges, &mean.blocks, &mean.bytes, &mean.long_blocks, &mean.long_bytes})
    *number /= context.ranks;
  return {.load = most.load, .longest = static_cast<std::size_t>(most.longest)};
}

}  // namespace rondo::communicator
