#include "interpose/stats.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>

#include "exchange/mpi_error.hpp"
#include "interpose/environment.hpp"
#include "interpose/report.hpp"
#include "interpose/rows.hpp"

namespace rondo::interpose {

using exchange::check;

namespace {

struct Counters {
  std::mutex mutex;
  std::map<Key, Totals> lines;
  std::array<std::atomic<std::int64_t>, kUnhandled> unhandled{};
};

Counters& counters() {
  // Never destroyed: MPI_Finalize may be called by a static object's destructor.
  static Counters& all = *new Counters;
  return all;
}

std::vector<Line> own_lines() {
  Counters& own = counters();
  const std::lock_guard lock(own.mutex);
  std::vector<Line> lines;
  for (const auto& [key, totals] : own.lines) lines.push_back({key, totals});
  return lines;
}

std::map<Key, Totals> add_up(const std::vector<Line>& lines) {
  std::map<Key, Totals> sums;
  for (const Line& line : lines) sums[line.key] += line.totals;
  return sums;
}

int registry_row(const choice::Choice* choice) {
  if (choice == nullptr) return -1;
  return static_cast<int>(choice->algorithm - registry::algorithms().data());
}

/// Summed over all ranks, on rank 0.
Unhandled sum_unhandled() {
  Unhandled own{};
  Unhandled sum{};
  std::ranges::transform(counters().unhandled, own.begin(), [](const auto& n) { return n.load(); });
  check(PMPI_Reduce(own.data(), sum.data(), static_cast<int>(own.size()), MPI_INT64_T, MPI_SUM, 0,
                    MPI_COMM_WORLD),
        "MPI_Reduce");
  return sum;
}

}  // namespace

bool is_counting() {
  static const bool is_wanted = is_set("RONDO_STATS");
  return is_wanted;
}

void count(buffers::Form form, const ByteRow& row, const choice::Choice* choice, double seconds) {
  const Key key{.form = form,
                .ranks = static_cast<int>(row.size()),
                .band = band_of(*std::ranges::max_element(row)),
                .algorithm = registry_row(choice)};
  const Totals call{.calls = 1,
                    .bytes = std::accumulate(row.begin(), row.end(), std::uint64_t{0}),
                    .seconds = seconds};
  Counters& own = counters();
  const std::lock_guard lock(own.mutex);
  own.lines[key] += call;
}

void count_inter(buffers::Form form) {
  ++counters().unhandled[kCalls + static_cast<std::size_t>(form)];
}

void count_passed(Call call) {
  ++counters().unhandled[index(call)];
}

void report_counts(int rank, World world) {
  const std::map<Key, Totals> lines = add_up(gather_rows(own_lines(), rank, world.ranks));
  const Unhandled unhandled = sum_unhandled();
  if (rank == 0) print_report(world, lines, unhandled);
}

}  // namespace rondo::interpose
