// When the ranks of a communicator arrive at its exchanges: the skew, which is the time from the first arrival to the
// last, and how long each rank waits for the last one.
//
// Ranks of one node have the same clock: each notes when it arrives, and after the exchange all know the last one's
// time. Clocks of nodes differ, so nothing compares them. There the ranks enter MPI_Barrier before an exchange. The
// last one waits for nobody, so its time there is what the barrier costs, and what another rank takes longer is how
// long it waits.
//
// All exchanges are measured that RONDO_RECORD records, and a sample for RONDO_STATS=1. Neighbourhood exchanges are not
// measured, since a rank does not wait for ranks that are no neighbours.
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

/// This rank's arrival at an exchange.
struct Arrival {
  enum class Method { none, clock, barrier };

  Method method = Method::none;  ///< the same on all ranks
  double seconds = 0;  ///< clock: when this rank arrived; barrier: how long it was in the barrier

  bool is_measured() const { return method != Method::none; }
};

/// Called before an exchange of `form` on `comm`. Collective if exchanges there are measured.
Arrival measure_arrival(MPI_Comm comm, buffers::Form form) noexcept;

/// A communicator, as all of its ranks know it.
struct KnownCommunicator {
  std::int32_t root = 0;    ///< the rank in MPI_COMM_WORLD of its rank 0
  std::int32_t number = 0;  ///< among those on which that rank exchanges
  std::int32_t ranks = 0;
  std::int32_t nodes = 0;
  std::int32_t per_node = 0;  ///< the most ranks of one of these nodes

  auto operator<=>(const KnownCommunicator&) const = default;
};

/// Which exchanges are added up.
struct ExchangeKind {
  KnownCommunicator communicator;
  std::int32_t form = 0;
  std::int32_t band = 0;  ///< of the longest block of all ranks; see band_of

  auto operator<=>(const ExchangeKind&) const = default;
};

/// The bands of skews: up to 1, 4, 16, ... microseconds. Longer ones have a band of their own, the last.
inline constexpr std::size_t kSkewBands = 16;
constexpr double skew_band_end(std::size_t band) {
  return 1e-6 * static_cast<double>(std::uint64_t{1} << (2 * band));
}

/// Sums over exchanges of one kind. The numbers of calls are the communicator's, everything else is summed over its
/// ranks.
struct ExchangeTotals {
  std::int64_t calls = 0;
  std::int64_t measured_calls = 0;
  double seconds = 0;           ///< in these calls, waiting included
  double measured_seconds = 0;  ///< in those that are measured
  double waited_seconds = 0;    ///< for the last rank, of those
  std::uint64_t longest_bytes = 0;
  std::array<std::uint64_t, kLastBand + 1> blocks{};  ///< by their own bands
  std::array<std::uint64_t, kLastBand + 1> bytes{};
  std::array<std::int64_t, kSkewBands + 1> calls_by_skew{};  ///< by the band of their skew

  ExchangeTotals& operator+=(const ExchangeTotals& more);
};

/// The nodes of a communicator.
struct Nodes {
  int count = 0;
  int per_node = 0;  ///< ranks of the largest
};

/// Collective.
Nodes nodes_of(MPI_Comm comm);

struct ExchangeRow {
  ExchangeKind kind;
  ExchangeTotals totals;
};

/// Collective if `arrival` is measured, or if exchanges on `comm` are recorded. Adds an exchange that took `seconds` and
/// sent the bytes of `row`. Returns how long this rank has waited before that, in the barrier of `arrival`.
double add_exchange(const communicator::State& state, MPI_Comm comm, buffers::Form form,
                    const Arrival& arrival, const ByteRow& row, double seconds);

/// Collective over MPI_COMM_WORLD. Returns the totals of all ranks, by kind, on rank 0. A communicator may include ranks
/// of another MPI_COMM_WORLD; if its rank 0 is one of them, the other has its calls.
std::vector<ExchangeRow> gather_exchanges(int rank, int ranks);

/// The lines of the statistics on waiting. Empty if nothing was measured.
std::string waiting_text(const std::vector<ExchangeRow>& rows);

}  // namespace rondo::dropin
