// One sparse exchange: each rank names the ranks to which it sends, and learns who sends to it. And the engines of
// sparse exchanges.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "engines/context.hpp"
#include "engines/discovery/sparse_workspace.hpp"

namespace rondo::engines {

struct SparseCall {
  Context& context;
  const choice::Choice& choice;

  /// What this rank sends: no empty blocks, at most one to each rank, in ascending order of ranks.
  /// There may be one to this rank itself. Nothing after a failure.
  std::span<const Destination> destinations;

  /// Set if this rank cannot take part.
  const Error* failure = nullptr;

  /// Returns the places of blocks from these ranks, in the same order, which is that of the ranks.
  /// Called once, if no rank has failed.
  std::function<BlockList<Block>(std::span<const Source>)> place;

  /// The failure of some rank, which all ranks know.
  std::optional<Error> failure_of_some{};
};

/// Collective. Runs the algorithm of `call.choice`.
void run_sparse(SparseCall& call);

}  // namespace rondo::engines

// The engines, declared from the table itself.
namespace rondo::engines::discovery {

#define RONDO_SPARSE_ALGORITHM(name, ...) void name(SparseCall& call);
#include "registry/sparse_algorithms.def"

/// A sparse exchange as an alltoallv in which most blocks are empty. Runs an engine of alltoallv that learns
/// the lengths of dynamic exchanges.
void run_dense(SparseCall& call, void (*engine)(Call&, const Blocks&));

}  // namespace rondo::engines::discovery
