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

/// The lines of all ranks, on rank 0.
std::vector<Line> gather_lines(int rank, int ranks) {
  const std::vector<Line> own = own_lines();
  const int bytes = static_cast<int>(own.size() * sizeof(Line));
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  std::vector<int> places(lengths.size());
  check(PMPI_Gather(&bytes, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD),
        "MPI_Gather");
  std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
  const int total = rank == 0 ? places.back() + lengths.back() : 0;
  std::vector<Line> all(static_cast<std::size_t>(total) / sizeof(Line));
  check(PMPI_Gatherv(own.data(), bytes, MPI_BYTE, all.data(), lengths.data(), places.data(),
                     MPI_BYTE, 0, MPI_COMM_WORLD),
        "MPI_Gatherv");
  return all;
}

std::map<Key, Totals> add_up(const std::vector<Line>& lines) {
  std::map<Key, Totals> sums;
  for (const Line& line : lines) sums[line.key] += line.totals;
  return sums;
}

int registry_row(const registry::Choice* choice) {
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

void count(api::Form form, const ByteRow& row, const registry::Choice* choice, double seconds) {
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

void count_inter(api::Form form) {
  ++counters().unhandled[kCalls + static_cast<std::size_t>(form)];
}

void count_passed(Call call) {
  ++counters().unhandled[index(call)];
}

void report_all() {
  int rank = 0;
  int ranks = 0;
  int counting = is_counting() ? 1 : 0;
  // From here on nothing but MPI_Finalize is left of the program: a failure costs the report only.
  check(PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(PMPI_Allreduce(MPI_IN_PLACE, &counting, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        "MPI_Allreduce");
  if (counting == 0) return;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  const std::map<Key, Totals> lines = add_up(gather_lines(rank, ranks));
  const Unhandled unhandled = sum_unhandled();
  if (rank == 0) print_report({.ranks = ranks, .counting = counting}, lines, unhandled);
}

}  // namespace rondo::interpose
