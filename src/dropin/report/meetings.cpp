#include "dropin/report/meetings.hpp"

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

/// What all ranks of a communicator agree on, and how many exchanges of each form there were.
struct Place {
  Occasion occasion;  ///< without form and band
  std::array<std::uint64_t, buffers::kFormNames.size()> calls{};
};

struct Noted {
  std::mutex mutex;
  std::map<std::size_t, Place> places;  ///< by State::number
  std::map<Occasion, Occasions> sums;
};

Noted& noted() {
  // Never destroyed: MPI_Finalize may be called by a static object's destructor.
  static Noted& all = *new Noted;
  return all;
}

bool is_recorded(const registry::Settings& settings) {
  return !settings.record.empty();
}

/// Counts one more exchange.
std::uint64_t next_call(const communicator::State& state, buffers::Form form) {
  Noted& all = noted();
  const std::lock_guard lock(all.mutex);
  return all.places[state.number()].calls[static_cast<std::size_t>(form)]++;
}

/// Nothing if place_of() is still to be called.
std::optional<Occasion> known_place(const communicator::State& state) {
  Noted& all = noted();
  const std::lock_guard lock(all.mutex);
  const Occasion& known = all.places[state.number()].occasion;
  return known.ranks != 0 ? std::optional(known) : std::nullopt;
}

/// Collective the first time.
Occasion place_of(const communicator::State& state, MPI_Comm comm) {
  if (const auto known = known_place(state)) return *known;
  int names[2] = {0, static_cast<int>(state.number())};
  check(PMPI_Comm_rank(MPI_COMM_WORLD, names), "MPI_Comm_rank");
  check(PMPI_Bcast(names, 2, MPI_INT, 0, comm), "MPI_Bcast");
  const Nodes nodes = nodes_of(comm);
  const Occasion found{.root = names[0],
                       .communicator = names[1],
                       .ranks = state.ranks(),
                       .nodes = nodes.count,
                       .per_node = nodes.per_node};
  Noted& all = noted();
  const std::lock_guard lock(all.mutex);
  return all.places[state.number()].occasion = found;
}

std::size_t spread_band(double seconds) {
  std::size_t band = 0;
  while (band < kSpreads && seconds > spread_end(band)) ++band;
  return band;
}

/// What the ranks tell each other after an exchange: the greatest value of each.
struct Agreed {
  double last;         ///< of the seconds of a meeting
  double minus_first;  ///< likewise
  double longest_block;
};

Agreed agree(const Meeting& meeting, const ByteRow& row, MPI_Comm comm) {
  Agreed agreed{.last = meeting.seconds,
                .minus_first = -meeting.seconds,
                .longest_block = static_cast<double>(*std::ranges::max_element(row))};
  check(PMPI_Allreduce(MPI_IN_PLACE, &agreed, sizeof agreed / sizeof(double), MPI_DOUBLE, MPI_MAX,
                       comm),
        "MPI_Allreduce");
  return agreed;
}

/// How long this rank has waited for the last one.
double waited(const Meeting& meeting, const Agreed& agreed) {
  if (meeting.way == Meeting::Way::clock) return agreed.last - meeting.seconds;
  return meeting.seconds + agreed.minus_first;
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

Occasions& Occasions::operator+=(const Occasions& more) {
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
  for (std::size_t band = 0; band < spreads.size(); ++band) spreads[band] += more.spreads[band];
  return *this;
}

Meeting meet(MPI_Comm comm, buffers::Form form) noexcept {
  if (comm == MPI_COMM_NULL || form == buffers::Form::neighbor_alltoallv) return {};
  try {
    const communicator::State* state = communicator::recent_state(comm);
    if (state == nullptr) state = communicator::find_state(comm);
    if (state == nullptr || state->settings().ab != 0) return {};
    const registry::Settings& settings = state->settings();
    if (!is_recorded(settings) && !settings.counts()) return {};
    if (const std::uint64_t call = next_call(*state, form);
        !is_recorded(settings) && !is_in_sample(call))
      return {};
    const auto place = known_place(*state);
    if (!place) {
      place_of(*state, comm);  // in which the ranks have met
      return {};
    }
    const double begin = now_in_seconds();
    if (place->nodes == 1) return {.way = Meeting::Way::clock, .seconds = begin};
    check(PMPI_Barrier(comm), "MPI_Barrier");
    return {.way = Meeting::Way::barrier, .seconds = now_in_seconds() - begin};
  } catch (const std::exception&) {
    return {};  // the communicator is invalid; the call itself returns the error
  }
}

double note_occasion(const communicator::State& state, MPI_Comm comm, buffers::Form form,
                     const Meeting& meeting, const ByteRow& row, double seconds) {
  if (!meeting.is_measured() && !is_recorded(state.settings())) return 0;
  Occasion occasion = place_of(state, comm);
  const Agreed agreed = agree(meeting, row, comm);
  const double before = meeting.way == Meeting::Way::barrier ? waited(meeting, agreed) : 0;
  occasion.form = static_cast<std::int32_t>(form);
  occasion.band = band_of(static_cast<std::uint64_t>(agreed.longest_block));
  Occasions one{.seconds = before + seconds,
                .longest_bytes = static_cast<std::uint64_t>(agreed.longest_block)};
  if (meeting.is_measured()) {
    one.measured_seconds = one.seconds;
    // Of a rank that need not wait for the last one, no more than it was there.
    one.waited_seconds = std::min(waited(meeting, agreed), one.seconds);
  }
  if (state.rank() == 0) {
    one.calls = 1;
    one.measured_calls = meeting.is_measured() ? 1 : 0;
    if (meeting.is_measured()) one.spreads[spread_band(agreed.last + agreed.minus_first)] = 1;
  }
  for (const std::uint64_t bytes : row) {
    const auto band = static_cast<std::size_t>(band_of(bytes));
    ++one.blocks[band];
    one.bytes[band] += bytes;
  }
  Noted& all = noted();
  const std::lock_guard lock(all.mutex);
  all.sums[occasion] += one;
  return before;
}

std::vector<OccasionRow> gather_occasions(int rank, int ranks) {
  std::vector<OccasionRow> own;
  {
    Noted& all = noted();
    const std::lock_guard lock(all.mutex);
    for (const auto& [occasion, sums] : all.sums) own.push_back({occasion, sums});
  }
  std::map<Occasion, Occasions> sums;
  for (const OccasionRow& row : gather_rows(own, rank, ranks)) sums[row.occasion] += row.sums;
  std::vector<OccasionRow> all;
  for (const auto& [occasion, sum] : sums)
    if (sum.calls != 0) all.push_back({occasion, sum});
  return all;
}

}  // namespace rondo::dropin
