// One sparse exchange: each rank names the ranks to which it sends, and learns who sends to it.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "engines/context.hpp"

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
