// The end of a comparison: the times of all ranks become one record, and the report on it is
// printed.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "dropin/report/comparison.hpp"
#include "dropin/report/report.hpp"
#include "dropin/report/times.hpp"
#include "mpi/error.hpp"
#include "segment/topology.hpp"

namespace rondo::dropin::ab {

using mpi::check;

namespace {

/// If there are more series, those with the most calls are judged, because judging more takes long.
constexpr std::size_t kMostSeries = 32;

bool shares_cores() {
  const int ranks = segment::launched_ranks();
  return segment::share_of_machine(ranks) < ranks;
}

/// The rank whose timeline is judged: the one with the most calls that took turns.
int reference_rank(int rank) {
  struct {
    double calls;
    int rank;
  } most{0, rank};
  for (const Series* series : all_series()) most.calls += static_cast<double>(series->calls);
  check(PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD),
        "MPI_Allreduce");
  return most.rank;
}

/// The identity of a series, and how many ranks it has.
struct Header {
  std::int64_t root;
  std::int64_t communicator;
  std::int64_t form;
  std::int64_t ranks;

  bool operator==(const Header&) const = default;
};

Header header_of(const Series* series) {
  return {.root = series->root,
          .communicator = series->communicator,
          .form = static_cast<std::int64_t>(series->form),
          .ranks = series->ranks};
}

/// The reference rank's series with the most calls, on every rank.
std::vector<Header> reference_headers(int rank, int reference) {
  std::vector<const Series*> own;
  for (const Series* series : all_series())
    if (series->calls > 0) own.push_back(series);
  std::ranges::stable_sort(own, std::greater<>(), &Series::calls);
  std::vector<Header> headers(kMostSeries);
  std::int64_t count = static_cast<std::int64_t>(std::min(own.size(), kMostSeries));
  if (rank == reference)
    std::ranges::transform(own.begin(), own.begin() + count, headers.begin(), header_of);
  check(PMPI_Bcast(&count, 1, MPI_INT64_T, reference, MPI_COMM_WORLD), "MPI_Bcast");
  headers.resize(static_cast<std::size_t>(count));
  check(PMPI_Bcast(headers.data(), static_cast<int>(headers.size() * sizeof(Header)), MPI_BYTE,
                   reference, MPI_COMM_WORLD),
        "MPI_Bcast");
  return headers;
}

/// This rank's series for each header; null if it takes part in none.
std::vector<const Series*> own_series(const std::vector<Header>& headers) {
  std::vector<const Series*> own;
  for (const Header& header : headers) {
    const auto at = std::ranges::find(all_series(), header, header_of);
    own.push_back(at == all_series().end() ? nullptr : *at);
  }
  return own;
}

/// For each series, how many turns all of its ranks have stored, in whole pairs.
std::vector<std::int64_t> common_lengths(const std::vector<Header>& headers,
                                         const std::vector<const Series*>& own) {
  std::vector<std::int64_t> stored;
  std::vector<std::int64_t> members;
  for (const Series* series : own) {
    stored.push_back(series == nullptr ? std::numeric_limits<std::int64_t>::max()
                                       : static_cast<std::int64_t>(series->turns.size()));
    members.push_back(series == nullptr ? 0 : 1);
  }
  const int count = static_cast<int>(headers.size());
  check(PMPI_Allreduce(MPI_IN_PLACE, stored.data(), count, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD),
        "MPI_Allreduce");
  check(PMPI_Allreduce(MPI_IN_PLACE, members.data(), count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD),
        "MPI_Allreduce");
  // A communicator may include ranks of another MPI_COMM_WORLD.
  for (std::size_t i = 0; i < stored.size(); ++i)
    stored[i] = members[i] == headers[i].ranks ? stored[i] / 2 * 2 : 0;
  return stored;
}

/// On the reference rank, the longest times that any rank took in each turn: elapsed, inside,
/// outside.
std::vector<float> longest_times(const Series* own, std::size_t turns, int rank, int reference) {
  std::vector<float> times(3 * turns);
  for (std::size_t i = 0; own != nullptr && i < turns; ++i) {
    const OwnTurn& turn = own->turns[i];
    times[3 * i] = turn.elapsed;
    times[3 * i + 1] = turn.inside;
    times[3 * i + 2] = turn.elapsed - turn.inside;
  }
  const void* sent = rank == reference ? MPI_IN_PLACE : times.data();
  check(PMPI_Reduce(sent, times.data(), static_cast<int>(times.size()), MPI_FLOAT, MPI_MAX,
                    reference, MPI_COMM_WORLD),
        "MPI_Reduce");
  return times;
}

SeriesTimes times_of(const Series& own, const std::vector<float>& longest) {
  SeriesTimes times{.order = own.order, .calls = own.calls, .begin = own.begin};
  for (std::size_t i = 0; 3 * i < longest.size(); ++i)
    times.turns.push_back({.end = own.turns[i].end,
                           .elapsed = longest[3 * i],
                           .inside = longest[3 * i + 1],
                           .outside = longest[3 * i + 2]});
  return times;
}

/// Collective. The result is complete on the reference rank.
InsideByForm gather_inside(int reference) {
  constexpr std::size_t kForms = std::tuple_size_v<InsideByForm>;
  double own[3 * kForms] = {};
  double sums[3 * kForms] = {};
  for (const Series* series : all_series()) {
    double* const of_form = own + 3 * static_cast<std::size_t>(series->form);
    for (std::size_t turn = 0; turn < series->turns.size() / 2 * 2; ++turn) {
      const auto call = static_cast<std::int64_t>(turn) * kTurnCalls;
      const bool is_library = arm_of(series->order, call) == Arm::library;
      of_form[0] += is_library ? kTurnCalls : 0;
      of_form[is_library ? 1 : 2] += series->turns[turn].inside;
    }
  }
  check(PMPI_Reduce(own, sums, 3 * kForms, MPI_DOUBLE, MPI_SUM, reference, MPI_COMM_WORLD),
        "MPI_Reduce");
  InsideByForm inside;
  for (std::size_t form = 0; form < kForms; ++form)
    inside[form] = {.calls_each = static_cast<std::int64_t>(sums[3 * form]),
                    .library_seconds = sums[3 * form + 1],
                    .rondo_seconds = sums[3 * form + 2]};
  return inside;
}

std::optional<std::uint64_t> common_seed() {
  const auto& all = all_series();
  const auto differs = [&](const Series* series) { return series->seed != all.front()->seed; };
  if (all.empty() || std::ranges::any_of(all, differs)) return std::nullopt;
  return all.front()->seed;
}

/// Collective. The result is complete on the reference rank.
RunTimes gather_run(int rank, int reference) {
  RunTimes run{.rank = rank,
               .wall_seconds = run_seconds(),
               .exchange_seconds = exchange_seconds(),
               .shares_cores = shares_cores(),
               .seed = common_seed(),
               .inside = gather_inside(reference)};
  for (const Series* series : all_series()) run.set_up_seconds += series->set_up_seconds;
  const std::vector<Header> headers = reference_headers(rank, reference);
  const std::vector<const Series*> own = own_series(headers);
  const std::vector<std::int64_t> lengths = common_lengths(headers, own);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const auto longest =
        longest_times(own[i], static_cast<std::size_t>(lengths[i]), rank, reference);
    if (rank == reference) run.series.push_back(times_of(*own[i], longest));
  }
  return run;
}

}  // namespace

void report_comparison(int rank, int ranks) {
  const int reference = reference_rank(rank);
  const RunTimes run = gather_run(rank, reference);
  const std::vector<std::byte> own = rank == reference ? to_bytes(run) : std::vector<std::byte>();
  const std::vector<std::byte> record = gather_rows(own, rank, ranks);
  if (rank == 0) std::fputs(judgement_of(record).c_str(), stderr);
}

}  // namespace rondo::dropin::ab
