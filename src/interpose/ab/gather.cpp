#include "interpose/ab/gather.hpp"

#include <mpi.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

#include "exchange/mpi_error.hpp"
#include "interpose/ab/report.hpp"
#include "interpose/ab/trial.hpp"
#include "interpose/rows.hpp"

namespace rondo::interpose::ab {

using exchange::check;

namespace {

/// A series as its root knows it, which is the same on all ranks but for what they kept.
struct Header {
  std::int64_t root;
  std::int64_t communicator;
  std::int64_t form;
  std::int64_t ranks;
  std::uint64_t seed;
  std::int64_t calls;
};

using Name = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

Name name_of(const Header& header) {
  return {header.root, header.communicator, header.form};
}

Header header_of(const Series& series) {
  return {.root = series.root,
          .communicator = series.communicator,
          .form = static_cast<std::int64_t>(series.form),
          .ranks = series.ranks,
          .seed = series.seed,
          .calls = series.calls};
}

/// All that were compared, on every rank in the same order. Each is known by its root, unless that
/// belongs to another MPI_COMM_WORLD.
std::vector<Header> all_headers(int rank, int ranks) {
  std::vector<Header> own;
  for (const Series* series : all_series())
    if (series->is_root && series->calls > 0) own.push_back(header_of(*series));
  std::vector<Header> all = gather_rows(own, rank, ranks);
  std::int64_t count = static_cast<std::int64_t>(all.size());
  check(PMPI_Bcast(&count, 1, MPI_INT64_T, 0, MPI_COMM_WORLD), "MPI_Bcast");
  all.resize(static_cast<std::size_t>(count));
  check(PMPI_Bcast(all.data(), static_cast<int>(all.size() * sizeof(Header)), MPI_BYTE, 0,
                   MPI_COMM_WORLD),
        "MPI_Bcast");
  return all;
}

/// This rank's series for each header, null where it is in none.
std::vector<const Series*> own_series(const std::vector<Header>& headers) {
  std::map<Name, const Series*> known;
  for (const Series* series : all_series()) known.emplace(name_of(header_of(*series)), series);
  std::vector<const Series*> own;
  for (const Header& header : headers) {
    const auto at = known.find(name_of(header));
    own.push_back(at == known.end() ? nullptr : at->second);
  }
  return own;
}

/// Of each series the first calls, in whole pairs, whose durations all of its ranks have.
std::vector<std::int64_t> common_lengths(const std::vector<Header>& headers,
                                         const std::vector<const Series*>& own) {
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> members;
  for (const Series* series : own) {
    kept.push_back(series == nullptr ? std::numeric_limits<std::int64_t>::max()
                                     : static_cast<std::int64_t>(series->seconds.size()));
    members.push_back(series == nullptr ? 0 : 1);
  }
  const int count = static_cast<int>(headers.size());
  check(PMPI_Allreduce(MPI_IN_PLACE, kept.data(), count, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD),
        "MPI_Allreduce");
  check(PMPI_Allreduce(MPI_IN_PLACE, members.data(), count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD),
        "MPI_Allreduce");
  // A communicator may reach into another MPI_COMM_WORLD.
  for (std::size_t i = 0; i < kept.size(); ++i)
    kept[i] = members[i] == headers[i].ranks ? kept[i] / kPairCalls * kPairCalls : 0;
  return kept;
}

/// On rank 0, what the first `calls` calls cost: the smallest of a call's durations over its ranks,
/// since the last to arrive waits for nobody. `own` is null on ranks that were not in them.
std::vector<float> costs_of(const Series* own, std::int64_t calls) {
  std::vector<float> seconds(static_cast<std::size_t>(calls),
                             std::numeric_limits<float>::infinity());
  if (own != nullptr)
    std::copy_n(own->seconds.begin(), static_cast<std::ptrdiff_t>(calls), seconds.begin());
  std::vector<float> costs(seconds.size());
  check(PMPI_Reduce(seconds.data(), costs.data(), static_cast<int>(calls), MPI_FLOAT, MPI_MIN, 0,
                    MPI_COMM_WORLD),
        "MPI_Reduce");
  return costs;
}

/// Collective. Complete on rank 0.
std::vector<Compared> compare_all(int rank, int ranks) {
  const std::vector<Header> headers = all_headers(rank, ranks);
  const std::vector<const Series*> own = own_series(headers);
  const std::vector<std::int64_t> lengths = common_lengths(headers, own);
  std::vector<Compared> all;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::vector<float> costs = costs_of(own[i], lengths[i]);
    if (rank != 0) continue;
    all.push_back({.form = static_cast<api::Form>(headers[i].form),
                   .ranks = headers[i].ranks,
                   .seed = headers[i].seed,
                   .calls = headers[i].calls,
                   .pairs = pair_up(costs, headers[i].seed)});
  }
  return all;
}

/// Since the process began; not a number where the system does not tell.
double wall_seconds() {
  constexpr int kStartField = 22;  // of /proc/PID/stat, in clock ticks since the system started
  constexpr int kFirstField = 3;   // behind the program's name, which may hold spaces
  std::ifstream file("/proc/self/stat");
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = line.rfind(')');
  timespec now{};
  if (name_end == std::string::npos || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
    return std::numeric_limits<double>::quiet_NaN();
  std::istringstream words(line.substr(name_end + 1));
  std::string word;
  for (int field = kFirstField; field < kStartField; ++field) words >> word;
  double ticks = std::numeric_limits<double>::quiet_NaN();
  words >> ticks;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
         ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

WholeRun run_of(int ranks) {
  const double own[] = {wall_seconds(), exchange_seconds()};
  double sum[2] = {};
  check(PMPI_Reduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD), "MPI_Reduce");
  return {.ranks = ranks, .wall_seconds = sum[0] / ranks, .exchange_seconds = sum[1] / ranks};
}

}  // namespace

void report_comparison(int rank, int ranks) {
  const WholeRun run = run_of(ranks);
  const std::vector<Compared> all = compare_all(rank, ranks);
  if (rank == 0) std::fputs(report_text(run, all).c_str(), stderr);
}

}  // namespace rondo::interpose::ab
