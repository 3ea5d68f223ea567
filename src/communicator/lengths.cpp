#include "communicator/lengths.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "transport/agreement.hpp"

namespace rondo::communicator {

using engines::NodePattern;
using select::EdgeBlocks;

namespace {

/// A mismatch, and the rank that has found it.
struct Found {
  int receiver;  ///< past the last rank if there is none
  engines::Lengths lengths;
};

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
  transport::combine_all(context.tagged(), std::span<double>(numbers), combine);
  return std::bit_cast<T>(numbers);
}

}  // namespace

void compare_lengths(engines::Context& context, std::optional<Error> failure,
                     const buffers::Binding& binding) {
  const auto ranks = static_cast<std::size_t>(context.ranks);
  // The ranks agree after the last step that can fail on one rank alone.
  std::span<std::uint64_t> lengths;
  if (!failure)
    failure = failure_of([&] {
      lengths = context.scratch.array<std::uint64_t>(Scratch::kComparedLengths, 2 * ranks);
    });
  transport::fail_together(context.tagged(), failure);

  const auto arriving = lengths.first(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    arriving[rank] = binding.sending().part(rank).bytes;
  transport::exchange_integers(context.tagged(), arriving, lengths.last(ranks));

  std::optional<engines::Lengths> first;
  for (std::size_t rank = 0; rank < ranks && !first; ++rank) {
    const std::uint64_t expected = binding.receive.part(rank).bytes;
    if (arriving[rank] != expected)
      first = engines::Lengths{static_cast<int>(rank), arriving[rank], expected};
  }
  throw_lowest_mismatch(context, first);
}

void compare_edge_lengths(engines::Context& context, const PeerBlocks& blocks,
                          std::optional<Error> failure, const buffers::Binding& binding) {
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> arriving;
  if (!failure)
    failure = failure_of([&] {
      for (const Peer& peer : blocks.to()) sent.push_back(bytes_of(peer, binding.sending()));
      arriving.resize(blocks.from().size());
    });
  transport::fail_together(context.tagged(), failure);
  // A peer may be this rank itself.
  const auto bytes_at = [](std::uint64_t& number) { return reinterpret_cast<std::byte*>(&number); };
  for (std::size_t i = 0; i < arriving.size(); ++i)
    context.messages.receive(bytes_at(arriving[i]), sizeof arriving[i], blocks.from()[i].rank,
                             context.tag(1));
  for (std::size_t i = 0; i < sent.size(); ++i)
    context.messages.send(bytes_at(sent[i]), sizeof sent[i], blocks.to()[i].rank, context.tag(1));
  context.messages.wait();
  std::optional<engines::Lengths> first;
  for (std::size_t i = 0; i < arriving.size() && !first; ++i) {
    const Peer& peer = blocks.from()[i];
    const std::uint64_t expected = bytes_of(peer, binding.receive);
    if (arriving[i] != expected) first = engines::Lengths{peer.rank, arriving[i], expected};
  }
  throw_lowest_mismatch(context, first);
}

/// The lowest receiver with a mismatch broadcasts the details.
void throw_lowest_mismatch(const engines::Context& context,
                           const std::optional<engines::Lengths>& own) {
  Found first{.receiver = context.ranks, .lengths = {}};
  if (own) first = {context.rank, *own};
  first = transport::least_of_all(context.tagged(), first, &Found::receiver);
  if (first.receiver != context.ranks) throw first.lengths.error(first.receiver);
}

std::size_t longest_of_any_rank(const engines::Context& context, const buffers::Binding& binding) {
  std::uint64_t longest = 0;
  for (std::size_t rank = 0; rank < binding.sending().ranks(); ++rank)
    longest = std::max<std::uint64_t>(longest, binding.sending().part(rank).bytes);
  return transport::greatest_of_all(context.tagged(), longest);
}

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
