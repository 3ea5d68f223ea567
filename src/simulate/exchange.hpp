// The exchange that is simulated, and the result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "choice/choice.hpp"
#include "registry/settings.hpp"
#include "simulate/lengths.hpp"
#include "simulate/machine.hpp"

namespace rondo::simulate {

struct Load {
  double block_bytes = 0;  ///< S
  Distribution distribution;
};

/// How often ranks are visited, to send or to copy something, within a second or two: in all, or each of very many.
inline constexpr double kMostVisits = 1 << 25;
inline constexpr double kMostVisitsOfRank = 256;

struct Exchange {
  choice::Choice choice;
  choice::Layout layout;  ///< all nodes have layout.per_node ranks
  Load load;
  std::uint64_t seed = 0;
  std::int64_t slot_bytes = registry::Settings{}.slot_bytes;
  /// Simulate every rank, even if one node or a sample could represent all.
  bool every_rank = false;
  /// Where nodes differ and to simulate all would take more visits, a sample stands for them, with about as many.
  std::optional<double> most_visits{};
  /// No rank knows what it will receive. Algorithms whose messages carry no lengths begin with an alltoall
  /// of lengths, by the machine's MPI_Alltoall.
  bool is_dynamic = false;
};

struct Outcome {
  double seconds = 0;  ///< from the common start to the end of the slowest rank
  /// Of a sample: 19 of 20 exchanges with lengths and waits of their own take as long. Otherwise both are `seconds`.
  double low_seconds = 0;
  double high_seconds = 0;
  std::int64_t messages = 0;  ///< simulated ones
  double bytes = 0;           ///< in these messages
  std::int64_t ranks = 0;     ///< simulated ones; of a sample in its largest draws
};

/// Called several times a second with the messages simulated so far. What it throws ends the simulation.
using Watch = std::function<void(std::int64_t)>;

/// The time of one exchange, the same for the same seed. In sparse and neighbourhood exchanges with
/// Kind::sparse every rank draws K partners from all others; with other distributions all are its
/// partners. All blocks of alltoall have S bytes, whatever the distribution. The machine says what the
/// MPI library's own call does. Other settings have their defaults.
Outcome simulate(const Exchange& exchange, const Machine& machine, const Watch& watch = {});

}  // namespace rondo::simulate
