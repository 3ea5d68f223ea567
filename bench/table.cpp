#include <fmt/format.h>

#include <algorithm>

#include "alignment.hpp"
#include "formats.hpp"

namespace rondo::bench {

namespace {

/// Enough digits to tell neighbours apart, whatever the size of the times.
std::string time_text(double microseconds) {
  const int digits = microseconds < 100 ? 2 : microseconds < 1000 ? 1 : 0;
  return fmt::format("{:.{}f}", microseconds, digits);
}

template <class Value>
std::string or_dash(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

Line heading() {
  return {"  algorithm",       "median us", "MAD us", "min us", "p95 us",    "max us",
          "95% of median, us", "speedup",   "rounds", "errors", "parameters"};
}

Line cells(const Result& result, bool fastest) {
  const Summary& times = result.microseconds;
  return {(fastest ? "* " : "  ") + result.algorithm,
          time_text(times.median),
          time_text(times.mad),
          time_text(times.min),
          time_text(times.p95),
          time_text(times.max),
          fmt::format("{} - {}", time_text(times.low), time_text(times.high)),
          fmt::format("{:.2f}", result.speedup),
          or_dash(result.rounds),
          or_dash(result.errors),
          result.parameters};
}

}  // namespace

std::string to_table(std::span<const Result> results, const std::string& note) {
  const Result& first = results.front();
  std::string out = fmt::format(
      "{}, S = {} bytes, {}: {} on {}, {}, mean of {:.0f} bytes sent by a rank\n", first.collective,
      first.bytes, first.distribution, counted(first.ranks, "rank"), counted(first.nodes, "node"),
      counted(first.iterations, "sample") +
          (first.batch > 1 ? fmt::format(" of {} calls", first.batch) : ""),
      first.bytes_per_rank);
  if (!note.empty()) out += note + '\n';
  const auto fastest = std::ranges::min_element(
      results, {}, [](const Result& result) { return result.microseconds.median; });
  std::vector<Line> lines{heading()};
  for (const Result& result : results) lines.push_back(cells(result, &result == &*fastest));
  return out + align(lines, true) + '\n';
}

}  // namespace rondo::bench
