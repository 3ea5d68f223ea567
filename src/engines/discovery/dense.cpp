#include "engines/discovery/dense.hpp"

#include <algorithm>

namespace rondo::engines::discovery {

namespace {

std::size_t index_of(int rank) {
  return static_cast<std::size_t>(rank);
}

/// Lists the blocks that arrive and have them placed. Returns the places by rank.
BlockList<Block> place_by_rank(SparseCall& call, std::span<const std::uint64_t> lengths) {
  SparseWorkspace& room = call.context.sparse;
  room.sources.clear();
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    if (lengths[rank] != 0) room.sources.push_back({static_cast<int>(rank), lengths[rank]});
  const BlockList<Block> places = call.place(room.sources);
  std::ranges::fill(room.received_by_rank, Block{});
  for (std::size_t i = 0; i < room.sources.size(); ++i)
    room.received_by_rank[index_of(room.sources[i].rank)] = places[i];
  return std::span(room.received_by_rank);
}

}  // namespace

void run_dense(SparseCall& call, void (*engine)(Call&, const Blocks&)) {
  Context& context = call.context;
  SparseWorkspace& room = context.sparse;
  const std::size_t ranks = index_of(context.ranks);
  room.sent_by_rank.resize(ranks);
  room.received_by_rank.resize(ranks);
  for (const Destination& destination : call.destinations)
    room.sent_by_rank[index_of(destination.rank)] = destination.block;
  Incoming incoming;
  incoming.lengths = context.scratch.array<std::uint64_t>(Scratch::kComparedLengths, ranks);
  incoming.place = [&] { return place_by_rank(call, incoming.lengths); };
  Call dense{.context = context, .choice = call.choice, .incoming = &incoming};
  Blocks blocks;
  blocks.send = std::span(room.sent_by_rank);
  blocks.failure = call.failure;
  if (call.failure != nullptr) {
    std::ranges::fill(room.received_by_rank, Block{});
    blocks.receive = std::span(room.received_by_rank);
  }
  engine(dense, blocks);
  call.failure_of_some = dense.failure;
  for (const Destination& destination : call.destinations)
    room.sent_by_rank[index_of(destination.rank)] = {};
}

}  // namespace rondo::engines::discovery
