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

/// As it was asked for, without parameters where the name alone tells it from the others.
std::string short_name(std::span<const Result> results, const Result& result) {
  const auto name_of = [](const Result& one) {
    return one.algorithm.substr(0, one.algorithm.find(':'));
  };
  const std::string name = name_of(result);
  return std::ranges::count(results, name, name_of) == 1 ? name : result.algorithm;
}

Line heading() {
  return {"  algorithm", "median us", "95% of median", "p95 us", "speedup", "errors"};
}

Line cells(const Result& result, const std::string& name) {
  const Summary& times = result.microseconds;
  return {name,
          time_text(times.median),
          fmt::format("{} - {}", time_text(times.low), time_text(times.high)),
          time_text(times.p95),
          fmt::format("{:.2f}", result.speedup),
          or_dash(result.errors)};
}

std::string title(const Result& first) {
  const std::string calls = first.batch > 1 ? fmt::format(" of {} calls", first.batch) : "";
  return fmt::format(
      "{}, S = {} bytes, {}: {} on {}\n{}{}; a rank sends {:.0f} bytes in the mean\n",
      first.collective, first.bytes, first.distribution, counted(first.ranks, "rank"),
      counted(first.nodes, "node"), counted(first.iterations, "sample"), calls,
      first.bytes_per_rank);
}

/// What an algorithm ran with, where there is something to say.
std::string legend(const Result& result, const std::string& name) {
  if (result.parameters.empty() && !result.rounds) return "";
  std::string line = fmt::format("  {}:", name);
  if (result.rounds) line += fmt::format(" {}", counted(*result.rounds, "round"));
  if (!result.parameters.empty())
    line += fmt::format("{} {}", result.rounds ? "," : "", result.parameters);
  return line + '\n';
}

}  // namespace

std::string to_table(std::span<const Result> results, const std::string& note) {
  std::string out = title(results.front());
  if (!note.empty()) out += note + '\n';
  const auto fastest = std::ranges::min_element(
      results, {}, [](const Result& result) { return result.microseconds.median; });
  std::vector<Line> lines{heading()};
  std::string legends;
  for (const Result& result : results) {
    const std::string name = short_name(results, result);
    lines.push_back(cells(result, (&result == &*fastest ? "* " : "  ") + name));
    legends += legend(result, name);
  }
  out += align(lines, false);
  if (!legends.empty()) out += "rounds and parameters:\n" + legends;
  return out + '\n';
}

}  // namespace rondo::bench
