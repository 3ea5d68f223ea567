// What is simulated, and what comes out.
#pragma once

#include <cstdint>

#include "choice/choice.hpp"
#include "registry/settings.hpp"
#include "simulate/lengths.hpp"
#include "simulate/machine.hpp"

namespace rondo::simulate {

struct Load {
  double block_bytes = 0;  ///< S
  Distribution distribution;
};

struct Exchange {
  choice::Choice choice;
  choice::Layout layout;  ///< all nodes have layout.per_node ranks
  Load load;
  std::uint64_t seed = 0;
  std::int64_t slot_bytes = registry::Settings{}.slot_bytes;
  /// Simulate every rank, also where all nodes do the same and one would do.
  bool every_rank = false;
  /// No rank knows what it receives. What carries no lengths comes after an alltoall of them, by the
  /// machine's MPI_Alltoall.
  bool is_dynamic = false;
};

struct Outcome {
  double seconds = 0;         ///< from the common start to the end of the slowest rank
  std::int64_t messages = 0;  ///< that were simulated
  std::int64_t ranks = 0;     ///< that were simulated
};

/// The time of one exchange. In sparse and neighbourhood exchanges with Kind::sparse every rank has K
/// partners, which it draws from all others; with another distribution all are its partners. Blocks of alltoall all have S bytes, whatever the distribution; the
/// MPI library's own call is what the machine says that it does. Other settings are at their defaults.
/// Deterministic for a seed.
Outcome simulate(const Exchange& exchange, const Machine& machine);

}  // namespace rondo::simulate
