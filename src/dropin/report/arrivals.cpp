#include "dropin/report/arrivals.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/mix.hpp"
#include "communicator/attributes.hpp"
#include "mpi/error.hpp"

namespace rondo::dropin {

using mpi::check;

namespace {

/// For the statistics: the first calls of a kind are all measured, and of later ones one in eight, drawn by its number,
/// so that no rhythm of the program decides which.
constexpr std::uint64_t kFirstMeasured = 64;
constexpr std::uint64_t kOneIn = 8;

constexpr bool is_in_sample(std::uint64_t call) {
  return call < kFirstMeasured || mix(call + kGoldenGamma) % kOneIn == 0;
}

/// A communicator on which this rank exchanges.
struct OwnCommunicator {
  std::optional<KnownCommunicator> known;
  std::array<std::uint64_t, buffers::kFormNames.size()> calls{};
};

/// What this rank has counted.
struct Tally {
  std::mutex mutex;
  std::map<std::size_t, OwnCommunicator> communicators;  ///< by State::number
  std::map<ExchangeKind, ExchangeTotals> totals;
};

Tally& tally() {
  // Never destroyed: MPI_Finalize may be called by a static object's destructor.
  static Tally& all = *new Tally;
  return all;
}

bool is_recorded(const registry::Settings& settings) {
  return !settings.record.empty();
}

/// Counts one more exchange.
std::uint64_t next_call(const communicator::State& state, buffers::Form form) {
  Tally& all = tally();
  const std::lock_guard lock(all.mutex);
  return all.communicators[state.number()].calls[static_cast<std::size_t>(form)]++;
}

/// Nothing if known_communicator() is still to be called.
std::optional<KnownCommunicator> find_known(const communicator::State& state) {
  Tally& all = tally();
  const std::lock_guard lock(all.mutex);
  return all.communicators[state.number()].known;
}

/// Collective the first time.
KnownCommunicator known_communicator(const communicator::State& state, MPI_Comm comm) {
  if (const auto known = find_known(state)) return *known;
  int names[2] = {0, static_cast<int>(state.number())};
  check(PMPI_Comm_rank(MPI_COMM_WORLD, names), "MPI_Comm_rank");
  check(PMPI_Bcast(names, 2, MPI_INT, 0, comm), "MPI_Bcast");
  const Nodes nodes = nodes_of(comm);
  const KnownCommunicator found{.root = names[0],
                                .number = names[1],
                                .ranks = state.ranks(),
                                .nodes = nodes.count,
                                .per_node = nodes.per_node};
  Tally& all = tally();
  const std::lock_guard lock(all.mutex);
  all.communicators[state.number()].known = found;
  return found;
}

std::size_t skew_band_of(double seconds) {
  std::size_t band = 0;
  while (band < kSkewBands && seconds > skew_band_end(band)) ++band;
  return band;
}

/// What the ranks tell each other after an exchange: the greatest value of each.
struct Agreed {
  double last;         ///< of Arrival::seconds
  double minus_first;  ///< likewise
  double longest_block;
};

Agreed agree(const Arrival& arrival, const ByteRow& row, MPI_Comm comm) {
  Agreed agreed{.last = arrival.seconds,
                .minus_first = -arrival.seconds,
                .longest_block = static_cast<double>(*std::ranges::max_element(row))};
  check(PMPI_Allreduce(MPI_IN_PLACE, &agreed, sizeof agreed / sizeof(double), MPI_DOUBLE, MPI_MAX,
                       comm),
        "MPI_Allreduce");
  return agreed;
}

/// How long this rank has waited for the last one.
double waited(const Arrival& arrival, const Agreed& agreed) {
  if (arrival.method == Arrival::Method::clock) return agreed.last - arrival.seconds;
  return arrival.seconds + agreed.minus_first;
}

}  // namespace

Nodes nodes_of(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  int rank = 0;
  Nodes nodes;
  check(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  check(PMPI_Comm_rank(node, &rank), "MPI_Comm_rank");
  check(PMPI_Comm_size(node, &nodes.per_node), "MPI_Comm_size");
  check(PMPI_Comm_free(&node), "MPI_Comm_free");
  nodes.count = rank == 0 ? 1 : 0;
  check(PMPI_Allreduce(MPI_IN_PLACE, &nodes.count, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
  check(PMPI_Allreduce(MPI_IN_PLACE, &nodes.per_node, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return nodes;
}

ExchangeTotals& ExchangeTotals::operator+=(const ExchangeTotals& more) {
  calls += more.calls;
  measured_calls += more.measured_calls;
  seconds += more.seconds;
  measured_seconds += more.measured_seconds;
  waited_seconds += more.waited_seconds;
  longest_bytes = std::max(longest_bytes, more.longest_bytes);
  for (std::size_t band = 0; band < blocks.size(); ++band) {
    blocks[band] += more.blocks[band];
    bytes[band] += more.bytes[band];
  }
  for (std::size_t band = 0; band < calls_by_skew.size(); ++band)
    calls_by_skew[band] += more.calls_by_skew[band];
  return *this;
}

Arrival measure_arrival(MPI_Comm comm, buffers::Form form) noexcept {
  if (comm == MPI_COMM_NULL || form == buffers::Form::neighbor_alltoallv) return {};
  try {
    const communicator::State* const state = communicator::known_state(comm);
    if (state == nullptr || state->settings().ab != 0) return {};
    const registry::Settings& settings = state->settings();
    if (!is_recorded(settings) && !settings.counts()) return {};
    if (const std::uint64_t call = next_call(*state, form);
        !is_recorded(settings) && !is_in_sample(call))
      return {};
    const auto known = find_known(*state);
    if (!known) {
      known_communicator(*state, comm);  // in which the ranks have waited for each other
      return {};
    }
    const double begin = now_in_seconds();
    if (known->nodes == 1) return {.method = Arrival::Method::clock, .seconds = begin};
    check(PMPI_Barrier(comm), "MPI_Barrier");
    return {.method = Arrival::Method::barrier, .seconds = now_in_seconds() - begin};
  } catch (const std::exception&) {
    return {};  // the communicator is invalid; the call itself returns the error
  }
}

double add_exchange(const communicator::State& state, MPI_Comm comm, buffers::Form form,
                    const Arrival& arrival, const ByteRow& row, double seconds) {
  if (!arrival.is_measured() && !is_recorded(state.settings())) return 0;
  const KnownCommunicator communicator = known_communicator(state, comm);
  const Agreed agreed = agree(arrival, row, comm);
  const double before = arrival.method == Arrival::Method::barrier ? waited(arrival, agreed) : 0;
  const auto longest = static_cast<std::uint64_t>(agreed.longest_block);
  ExchangeTotals one{.seconds = before + seconds, .longest_bytes = longest};
  if (arrival.is_measured()) {
    one.measured_seconds = one.seconds;
    // Of a rank that need not wait for the last one, no more than it was there.
    one.waited_seconds = std::min(waited(arrival, agreed), one.seconds);
  }
  if (state.rank() == 0) {
    one.calls = 1;
    one.measured_calls = arrival.is_measured() ? 1 : 0;
    const double skew = agreed.last + agreed.minus_first;
    if (arrival.is_measured()) one.calls_by_skew[skew_band_of(skew)] = 1;
  }
  for (const std::uint64_t bytes : row) {
    const auto band = static_cast<std::size_t>(band_of(bytes));
    ++one.blocks[band];
    one.bytes[band] += bytes;
  }
  Tally& all = tally();
  const std::lock_guard lock(all.mutex);
  all.totals[{.communicator = communicator,
              .form = static_cast<std::int32_t>(form),
              .band = band_of(longest)}] += one;
  return before;
}

std::vector<ExchangeRow> gather_exchanges(int rank, int ranks) {
  std::vector<ExchangeRow> own;
  {
    Tally& all = tally();
    const std::lock_guard lock(all.mutex);
    for (const auto& [kind, totals] : all.totals) own.push_back({kind, totals});
  }
  std::map<ExchangeKind, ExchangeTotals> sums;
  for (const ExchangeRow& row : gather_rows(own, rank, ranks)) sums[row.kind] += row.totals;
  std::vector<ExchangeRow> rows;
  for (const auto& [kind, totals] : sums)
    if (totals.calls != 0) rows.push_back({kind, totals});
  return rows;
}

}  // namespace rondo::dropin
