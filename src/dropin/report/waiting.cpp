// The lines of the statistics on waiting for late ranks.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "dropin/report/arrivals.hpp"

namespace rondo::dropin {

namespace {

constexpr std::size_t kMostLines = 8;

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.0f} ms", 1e3 * seconds) : fmt::format("{:.0f} s", seconds);
}

/// Within which time the ranks arrive in so many percent of the measured calls, from the histogram.
std::string within(const ExchangeTotals& totals, std::int64_t percent) {
  std::int64_t left = (totals.measured_calls * percent + 99) / 100;
  for (std::size_t band = 0; band < kSkewBands; left -= totals.calls_by_skew[band++])
    if (left <= totals.calls_by_skew[band]) return duration(skew_band_end(band));
  return "more than " + duration(skew_band_end(kSkewBands - 1));
}

std::string line(const ExchangeKind& kind, const ExchangeTotals& totals) {
  const KnownCommunicator& communicator = kind.communicator;
  return fmt::format(
      "rondo: waiting: {} on communicator {}.{} of {} ranks: {:.1f} % of the time is waiting for "
      "the last rank, measured in {} calls; ranks arrive within {} in half of them, and within {} "
      "in 9 of 10\n",
      buffers::kFormNames[static_cast<std::size_t>(kind.form)], communicator.root,
      communicator.number, communicator.ranks,
      100 * totals.waited_seconds / totals.measured_seconds, totals.measured_calls,
      within(totals, 50), within(totals, 90));
}

}  // namespace

std::string waiting_text(const std::vector<ExchangeRow>& rows) {
  std::map<ExchangeKind, ExchangeTotals> merged;
  for (const ExchangeRow& row : rows) {
    ExchangeKind kind = row.kind;
    kind.band = 0;
    merged[kind] += row.totals;
  }
  std::vector<std::pair<ExchangeKind, ExchangeTotals>> sorted;
  for (const auto& one : merged)
    if (one.second.measured_seconds > 0 && one.first.communicator.ranks > 1) sorted.push_back(one);
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
