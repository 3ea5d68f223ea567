// Runs one exchange of bound arguments by one of Rondo's algorithms.
#pragma once

#include <optional>

#include "communicator/peer_blocks.hpp"
#include "communicator/state.hpp"

namespace rondo::exchange {

/// One exchange to run. `failure` is what this rank found wrong with its arguments, or finds wrong
/// later. It is thrown, after it has been reported to the other ranks if the algorithm or
/// RONDO_CHECK=1 provides for that.
struct Task {
  communicator::State& state;
  engines::Context& context;  ///< in which the exchange runs
  const choice::Choice& choice;
  const buffers::Binding& binding;
  const void* send_buffer;
  void* receive_buffer;
  std::optional<Error>& failure;

  // Set if the blocks travel along the edges of a topology.
  communicator::PeerBlocks* peers = nullptr;
  engines::Pattern* pattern = nullptr;

  engines::Learned* learned = nullptr;  ///< set for a plan
};

/// Collective. Runs the exchange.
void execute(const Task& task);

}  // namespace rondo::exchange
