// The record of a comparison: the times of turns, as one rank of the program saw them. The program
// leaves it, and rondo-judge reads it. No MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "buffers/form.hpp"

namespace rondo::dropin::ab {

/// One turn.
struct TurnTimes {
  std::int64_t
      end;  ///< how many calls the timeline's rank had made by the end of the turn, in all series
  float elapsed;  ///< seconds since the end of the series' previous turn, on the slowest rank
  float inside;   ///< time in the calls, waiting included, on the rank that spent most in them
  float outside;  ///< the rest of the elapsed time, on the rank that spent most there
};

/// The calls of one collective on one communicator.
struct SeriesTimes {
  std::uint64_t order = 0;         ///< of the turns; see order_of
  std::int64_t calls = 0;          ///< that took turns
  std::int64_t begin = 0;          ///< of the first turn, as TurnTimes::end
  std::vector<TurnTimes> turns{};  ///< the first ones, without gaps
};

/// Calls of one collective in complete pairs, summed over ranks, and the seconds inside them.
struct InsideCalls {
  std::int64_t calls_each = 0;
  double library_seconds = 0;
  double rondo_seconds = 0;
};

using InsideByForm = std::array<InsideCalls, buffers::kFormNames.size()>;

/// One rank's timeline.
struct RunTimes {
  int rank = 0;
  double wall_seconds = 0;              ///< since the process began
  double exchange_seconds = 0;          ///< all exchanges, waiting included
  double set_up_seconds = 0;            ///< what Rondo's set-up took
  bool shares_cores = false;            ///< whether its node has more ranks than cores
  std::optional<std::uint64_t> seed{};  ///< if it is the same for all communicators
  InsideByForm inside{};                ///< of all ranks
  std::vector<SeriesTimes> series{};
};

/// The record as bytes, exchanged between programs of one build of Rondo.
std::vector<std::byte> to_bytes(const RunTimes& run);

/// Throws Error if the bytes are not a record.
RunTimes from_bytes(std::span<const std::byte> bytes);

}  // namespace rondo::dropin::ab
