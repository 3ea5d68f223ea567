// When the ranks of a communicator come to its exchanges: how far apart, and how long each waits for the last one.
//
// Ranks of one node have the same clock: each notes when it comes, and after the exchange all know the last one's
// time. Clocks of nodes differ, so nothing compares them. There the ranks meet in MPI_Barrier before an exchange. The
// last one waits for nobody, so its time there is what the barrier costs, and what another rank takes longer is how
// long it waits.
//
// All exchanges are measured that RONDO_RECORD records, and a sample for RONDO_STATS=1. Neighbourhood exchanges are not
// measured, since ranks that are no neighbours need not meet.
#pragma once

#include <mpi.h>

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "dropin/report/bands.hpp"
#include "dropin/report/report.hpp"

namespace rondo::dropin {

/// Before an exchange.
struct Meeting {
  enum class Way { none, clock, barrier };

  Way way = Way::none;  ///< the same on all ranks
  double seconds = 0;   ///< clock: when this rank came; barrier: how long it was there

  bool is_measured() const { return way != Way::none; }
};

/// Collective if exchanges on `comm` are measured. Before an exchange of `form` on it.
Meeting meet(MPI_Comm comm, buffers::Form form) noexcept;

/// Exchanges of one kind on one communicator.
struct Occasion {
  std::int32_t root = 0;          ///< the rank in MPI_COMM_WORLD of the communicator's rank 0
  std::int32_t communicator = 0;  ///< its number among those on which that rank exchanges
  std::int32_t form = 0;
  std::int32_t band = 0;  ///< of the longest block of all ranks; see band_of
  std::int32_t ranks = 0;
  std::int32_t nodes = 0;
  std::int32_t per_node = 0;  ///< the most ranks of one of these nodes

  auto operator<=>(const Occasion&) const = default;
};

/// The bands of how far apart ranks come: up to 1, 4, 16, ... microseconds.
inline constexpr std::size_t kSpreads = 16;
constexpr double spread_end(std::size_t band) {
  return 1e-6 * static_cast<double>(std::uint64_t{1} << (2 * band));
}

/// What was measured of them. The numbers of calls and their spreads are the communicator's, everything else is summed
/// over its ranks.
struct Occasions {
  std::int64_t calls = 0;
  std::int64_t measured_calls = 0;
  double seconds = 0;           ///< in these calls, waiting included
  double measured_seconds = 0;  ///< in those that are measured
  double waited_seconds = 0;    ///< for the last rank, of those
  std::uint64_t longest_bytes = 0;
  std::array<std::uint64_t, kLastBand + 1> blocks{};  ///< by their own bands
  std::array<std::uint64_t, kLastBand + 1> bytes{};
  std::array<std::int64_t, kSpreads + 1> spreads{};

  Occasions& operator+=(const Occasions& more);
};

/// The nodes of a communicator.
struct Nodes {
  int count = 0;
  int per_node = 0;  ///< ranks of the largest
};

/// Collective.
Nodes nodes_of(MPI_Comm comm);

struct OccasionRow {
  Occasion occasion;
  Occasions sums;
};

/// Collective if `meeting` is measured, or if exchanges on `comm` are recorded. Adds an exchange that took `seconds`
/// after the meeting and sent the bytes of `row`. Returns how long this rank has waited before that, in a barrier.
double note_occasion(const communicator::State& state, MPI_Comm comm, buffers::Form form,
                     const Meeting& meeting, const ByteRow& row, double seconds);

/// Collective over MPI_COMM_WORLD. Returns what all ranks have noted, by occasion, on rank 0. A communicator may include
/// ranks of another MPI_COMM_WORLD; if its rank 0 is one of them, the other has its calls.
std::vector<OccasionRow> gather_occasions(int rank, int ranks);

/// The lines of the statistics on waiting. Empty if nothing was measured.
std::string waiting_text(const std::vector<OccasionRow>& rows);

}  // namespace rondo::dropin
