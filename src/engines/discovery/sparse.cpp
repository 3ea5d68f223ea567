#include "engines/discovery/sparse.hpp"

#include <algorithm>

namespace rondo::engines {

namespace {

/// The engine of every row, in the table's order.
constexpr void (*kSparseEngines[])(SparseCall&) = {
#define RONDO_SPARSE_ALGORITHM(name, ...) &engines::discovery::name,
#include "registry/sparse_algorithms.def"
};

}  // namespace

void run_sparse(SparseCall& call) {
  const auto row = call.choice.algorithm - registry::sparse_algorithms().data();
  kSparseEngines[row](call);
}

}  // namespace rondo::engines

namespace rondo::engines::discovery {

namespace {

std::size_t index_of(int rank) {
  return static_cast<std::size_t>(rank);
}

/// Lists the blocks that arrive and have them placed. Returns the places by rank.
BlockList<Block> place_by_rank(SparseCall& call, std::span<const std::uint64_t> lengths) {
  SparseWorkspace& workspace = sparse_workspace(call.context);
  workspace.list_sources(lengths);
  const BlockList<Block> places = call.place(workspace.sources);
  std::ranges::fill(workspace.received_by_rank, Block{});
  for (std::size_t i = 0; i < workspace.sources.size(); ++i)
    workspace.received_by_rank[index_of(workspace.sources[i].rank)] = places[i];
  return std::span(workspace.received_by_rank);
}

}  // namespace

void run_dense(SparseCall& call, void (*engine)(Call&, const Blocks&)) {
  Context& context = call.context;
  SparseWorkspace& workspace = sparse_workspace(context);
  const std::size_t ranks = index_of(context.ranks);
  workspace.sent_by_rank.resize(ranks);
  workspace.received_by_rank.resize(ranks);
  for (const Destination& destination : call.destinations)
    workspace.sent_by_rank[index_of(destination.rank)] = destination.block;
  Incoming incoming;
  incoming.lengths = context.scratch.array<std::uint64_t>(Scratch::kComparedLengths, ranks);
  incoming.place = [&] { return place_by_rank(call, incoming.lengths); };
  Call dense{.context = context, .choice = call.choice, .incoming = &incoming};
  Blocks blocks;
  blocks.send = std::span(workspace.sent_by_rank);
  blocks.failure = call.failure;
  if (call.failure != nullptr) {
    std::ranges::fill(workspace.received_by_rank, Block{});
    blocks.receive = std::span(workspace.received_by_rank);
  }
  engine(dense, blocks);
  call.failure_of_some = dense.failure;
  for (const Destination& destination : call.destinations)
    workspace.sent_by_rank[index_of(destination.rank)] = {};
}

}  // namespace rondo::engines::discovery
