// RONDO_STATS=1: adds up the exchanges of this process and prints one report for all ranks.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "communicator/attributes.hpp"
#include "communicator/profile.hpp"
#include "dropin/report/arrivals.hpp"
#include "dropin/report/bands.hpp"
#include "dropin/report/report.hpp"
#include "mpi/error.hpp"
#include "registry/algorithm.hpp"
#include "select/learned.hpp"

namespace rondo::dropin {

using mpi::check;

namespace {

/// What one line of the report is about.
struct Key {
  buffers::Form form;
  When when;
  int ranks;      ///< of the communicator
  int band;       ///< of the longest block that the rank sends; see band_of
  int algorithm;  ///< row of the registry; -1 if the call was forwarded without a choice

  auto operator<=>(const Key&) const = default;
};

/// Sums over calls and ranks.
struct Totals {
  std::int64_t calls = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;

  Totals& operator+=(const Totals& more) {
    calls += more.calls;
    bytes += more.bytes;
    seconds += more.seconds;
    return *this;
  }
};

struct Line {
  Key key;
  Totals totals;
};

/// Calls of one function of Rondo that the program has made itself, summed over calls and ranks.
struct OwnCalls {
  char function[40];
  std::int64_t calls;
  double seconds;
};

/// Calls that the MPI library carries out: by MpiCall, then by Form on inter-communicators.
constexpr std::size_t kForwarded = kCalls + buffers::kFormNames.size();
using Forwarded = std::array<std::int64_t, kForwarded>;

struct Counters {
  std::mutex mutex;
  std::map<Key, Totals> lines;
  std::map<std::string, Totals> own_calls;  ///< by function
  std::array<std::atomic<std::int64_t>, kForwarded> forwarded{};
};

Counters& counters() {
  // Never destroyed: MPI_Finalize may be called by a static object's destructor.
  static Counters& all = *new Counters;
  return all;
}

std::string forwarded_name(std::size_t place) {
  static constexpr const char* kNames[] = {
#define RONDO_C(Name, words) "MPI_" #Name,
#define RONDO_IN_MPI(Name) "MPI_" #Name,
#include "dropin/calls.def"
  };
  if (place < kCalls) return kNames[place];
  return fmt::format("{} on inter-communicators", buffers::kFormNames[place - kCalls]);
}

std::string call_text(const Key& key) {
  return fmt::format("{}{}{}", key.when == When::start ? "i" : "",
                     buffers::kFormNames[static_cast<std::size_t>(key.form)],
                     key.when == When::persistent ? "_init" : "");
}

std::string_view algorithm_text(int algorithm) {
  if (algorithm < 0) return "forwarded";
  return registry::algorithms()[static_cast<std::size_t>(algorithm)].name;
}

/// This process's lines, to be sent to rank 0.
std::vector<Line> own_lines() {
  Counters& own = counters();
  const std::lock_guard lock(own.mutex);
  std::vector<Line> lines;
  for (const auto& [key, totals] : own.lines) lines.push_back({key, totals});
  return lines;
}

/// Summed over all ranks, on rank 0.
Forwarded sum_forwarded() {
  Forwarded own{};
  Forwarded sum{};
  std::ranges::transform(counters().forwarded, own.begin(), [](const auto& n) { return n.load(); });
  check(PMPI_Reduce(own.data(), sum.data(), static_cast<int>(own.size()), MPI_INT64_T, MPI_SUM, 0,
                    MPI_COMM_WORLD),
        "MPI_Reduce");
  return sum;
}

/// How long the ranks that count have run, summed, on rank 0.
double sum_run_seconds() {
  const double own = is_counting() ? run_seconds() : 0;
  double sum = 0;
  check(PMPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD), "MPI_Reduce");
  return sum;
}

/// How wide the names of the calls are. Most programs make no call with a longer name than alltoallv.
std::size_t name_width(const std::map<Key, Totals>& lines) {
  std::size_t width = 9;
  for (const auto& [key, totals] : lines) width = std::max(width, call_text(key).size());
  return width;
}

/// What all communicators have learned, on rank 0. Those that are alive end with the program.
std::vector<select::Move> gather_moves(int rank, int ranks) {
  communicator::note_all_learned();
  const std::string own = select::to_text(communicator::noted_moves());
  const auto all = gather_rows(std::vector<char>(own.begin(), own.end()), rank, ranks);
  select::Moves moves;
  for (const select::Move& move : select::moves_from({all.begin(), all.end()})) moves.add(move);
  return moves.all();
}

/// The seconds in calls that block. Those of a start may include computing.
double blocking_seconds(const std::map<Key, Totals>& lines) {
  double seconds = 0;
  for (const auto& [key, totals] : lines)
    if (key.when == When::call) seconds += totals.seconds;
  return seconds;
}

/// Of the program, by function, summed over all ranks, on rank 0.
std::map<std::string, Totals> gather_own_calls(int rank, int ranks) {
  std::vector<OwnCalls> own;
  {
    Counters& all = counters();
    const std::lock_guard lock(all.mutex);
    for (const auto& [function, totals] : all.own_calls) {
      OwnCalls& calls = own.emplace_back(OwnCalls{{}, totals.calls, totals.seconds});
      function.copy(calls.function, sizeof calls.function - 1);
    }
  }
  std::map<std::string, Totals> sums;
  for (const OwnCalls& calls : gather_rows(own, rank, ranks))
    sums[calls.function] += {.calls = calls.calls, .seconds = calls.seconds};
  return sums;
}

/// Whether a call of Rondo returns when the exchange is over.
bool blocks(const std::string& function) {
  return !function.starts_with("Rondo_I") && function != "Rondo_Start";
}

/// What all ranks have counted, on rank 0.
struct Counted {
  std::map<Key, Totals> lines;
  std::map<std::string, Totals> own_calls;
  Forwarded forwarded;
  std::vector<ExchangeRow> exchanges;
  std::vector<select::Move> moves;
  double run_seconds;  ///< summed over ranks
};

std::string report_text(World world, const Counted& counted) {
  const auto& [lines, own_calls, forwarded, exchanges, moves, run_seconds] = counted;
  std::string out = fmt::format(
      "rondo: all-to-all of {} ranks; calls, bytes and seconds are sums over the ranks\n",
      world.ranks);
  const auto to_end = std::back_inserter(out);
  const std::size_t width = name_width(lines);
  if (world.requesting < world.ranks)
    fmt::format_to(to_end, "rondo: RONDO_STATS is set on {} of them; the others are missing\n",
                   world.requesting);
  if (lines.empty() && own_calls.empty())
    out += "rondo: Rondo carried out no exchange\n";
  else if (!lines.empty())
    fmt::format_to(to_end, "rondo: {:{}} {:>6}  {:9}  {:20} {:>10} {:>15} {:>12}\n", "call", width,
                   "ranks", "block", "algorithm", "calls", "bytes", "seconds");
  for (const auto& [key, totals] : lines)
    fmt::format_to(to_end, "rondo: {:{}} {:6}  {:9}  {:20} {:10} {:15} {:12.6f}\n", call_text(key),
                   width, key.ranks, band_text(key.band), algorithm_text(key.algorithm),
                   totals.calls, totals.bytes, totals.seconds);
  for (const auto& [function, totals] : own_calls)
    fmt::format_to(to_end, "rondo: called by the program: {}, {} calls, {:.6f} seconds\n", function,
                   totals.calls, totals.seconds);
  for (std::size_t place = 0; place < forwarded.size(); ++place)
    if (forwarded[place] != 0)
      fmt::format_to(to_end, "rondo: forwarded to the MPI library: {}, {} calls\n",
                     forwarded_name(place), forwarded[place]);
  out += waiting_text(exchanges);
  for (const select::Move& move : moves)
    fmt::format_to(to_end, "rondo: {}\n", select::report_line(move, world.ranks));
  double seconds = blocking_seconds(lines);
  for (const auto& [function, totals] : own_calls)
    if (blocks(function)) seconds += totals.seconds;
  return out + share_text(seconds, run_seconds, world.requesting);
}

}  // namespace

bool is_counting() {
  static const bool is_requested = is_set("RONDO_STATS");
  return is_requested;
}

void count(const Exchanged& exchanged, const ByteRow& row) {
  const auto algorithm =
      exchanged.algorithm == nullptr ? -1 : exchanged.algorithm - registry::algorithms().data();
  const Key key{.form = exchanged.form,
                .when = exchanged.when,
                .ranks = static_cast<int>(row.size()),
                .band = band_of(*std::ranges::max_element(row)),
                .algorithm = static_cast<int>(algorithm)};
  const Totals call{.calls = 1,
                    .bytes = std::accumulate(row.begin(), row.end(), std::uint64_t{0}),
                    .seconds = exchanged.seconds};
  Counters& own = counters();
  const std::lock_guard lock(own.mutex);
  own.lines[key] += call;
}

void note_own_call(const char* function, double seconds) noexcept {
  if (!is_counting()) return;
  try {
    Counters& own = counters();
    const std::lock_guard lock(own.mutex);
    own.own_calls[function] += {.calls = 1, .seconds = seconds};
  } catch (const std::bad_alloc&) {
    return;  // it is missing from the report
  }
}

void count_inter(buffers::Form form) {
  ++counters().forwarded[kCalls + static_cast<std::size_t>(form)];
}

void count_forwarded(MpiCall call) {
  ++counters().forwarded[index(call)];
}

void report_counts(int rank, World world) {
  Counted counted{};
  for (const Line& line : gather_rows(own_lines(), rank, world.ranks))
    counted.lines[line.key] += line.totals;
  counted.own_calls = gather_own_calls(rank, world.ranks);
  counted.forwarded = sum_forwarded();
  counted.exchanges = gather_exchanges(rank, world.ranks);
  counted.moves = gather_moves(rank, world.ranks);
  counted.run_seconds = sum_run_seconds();
  if (rank == 0) std::fputs(report_text(world, counted).c_str(), stderr);
}

}  // namespace rondo::dropin
