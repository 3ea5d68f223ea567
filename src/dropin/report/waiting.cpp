// The lines of the statistics on waiting for late ranks.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "dropin/report/meetings.hpp"

namespace rondo::dropin {

namespace {

constexpr std::size_t kMostLines = 8;

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.0f} ms", 1e3 * seconds) : fmt::format("{:.0f} s", seconds);
}

/// Within which time the ranks come in so many percent of the measured calls, from the histogram.
std::string within(const Occasions& sums, std::int64_t percent) {
  std::int64_t left = std::max<std::int64_t>(sums.measured_calls * percent / 100, 1);
  for (std::size_t band = 0; band < kSpreads; left -= sums.spreads[band++])
    if (left <= sums.spreads[band]) return duration(spread_end(band));
  return "more than " + duration(spread_end(kSpreads - 1));
}

std::string line(const Occasion& place, const Occasions& sums) {
  return fmt::format(
      "rondo: waiting: {} on communicator {}.{} of {} ranks: {:.1f} % of the time is waiting for "
      "the last rank, measured in {} calls; ranks come within {} in half of them, and within {} in "
      "9 of 10\n",
      buffers::kFormNames[static_cast<std::size_t>(place.form)], place.root, place.communicator,
      place.ranks, 100 * sums.waited_seconds / sums.measured_seconds, sums.measured_calls,
      within(sums, 50), within(sums, 90));
}

}  // namespace

std::string waiting_text(const std::vector<OccasionRow>& rows) {
  std::map<Occasion, Occasions> merged;
  for (const OccasionRow& row : rows) {
    Occasion place = row.occasion;
    place.band = 0;
    merged[place] += row.sums;
  }
  std::vector<std::pair<Occasion, Occasions>> sorted;
  for (const auto& one : merged)
    if (one.second.measured_seconds > 0 && one.first.ranks > 1) sorted.push_back(one);
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](const auto& one) { return one.second.waited_seconds; });
  std::string out;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostLines); ++i)
    out += line(sorted[i].first, sorted[i].second);
  if (sorted.size() > kMostLines)
    fmt::format_to(std::back_inserter(out), "rondo: waiting: {} other rows have less\n",
                   sorted.size() - kMostLines);
  return out;
}

}  // namespace rondo::dropin
