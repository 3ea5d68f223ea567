// The exchange that is simulated, and the result.
#pragma once

#include <cstdint>
#include <functional>

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
  /// Simulate every rank, even if all nodes do the same and one could represent them.
  bool every_rank = false;
  /// No rank knows what it will receive. Algorithms whose messages carry no lengths begin with an alltoall
  /// of lengths, by the machine's MPI_Alltoall.
  bool is_dynamic = false;
};

struct Outcome {
  double seconds = 0;         ///< from the common start to the end of the slowest rank
  std::int64_t messages = 0;  ///< simulated ones
  double bytes = 0;           ///< in these messages
  std::int64_t ranks = 0;     ///< simulated ones
};

/// Called several times a second with the messages simulated so far. What it throws ends the simulation.
using Watch = std::function<void(std::int64_t)>;

/// The time of one exchange, the same for the same seed. In sparse and neighbourhood exchanges with
/// Kind::sparse every rank draws K partners from all others; with other distributions all are its
/// partners. All blocks of alltoall have S bytes, whatever the distribution. The machine says what the
/// MPI library's own call does. Other settings have their defaults.
Outcome simulate(const Exchange& exchange, const Machine& machine, const Watch& watch = {});

}  // namespace rondo::simulate
