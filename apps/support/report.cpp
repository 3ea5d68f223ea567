#include "support/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "alignment.hpp"
#include "base/error.hpp"
#include "statistics.hpp"

namespace rondo::apps {

namespace {

using bench::Line;
using bench::Ratio;

constexpr std::uint64_t kSeed = 1;
constexpr const char* kUnknown = "-";

double total_of(const Run& run) {
  return run.total_seconds;
}
double exchange_of(const Run& run) {
  return run.exchange_seconds;
}
double compute_of(const Run& run) {
  return run.compute_seconds;
}

/// Whether the arm's runs tell what exchanges took.
bool is_split(const Arm& arm) {
  return std::all_of(arm.runs.begin(), arm.runs.end(), [](const Run& run) { return run.is_split; });
}

template <class Value>
std::vector<double> values_of(const Arm& arm, Value&& value) {
  std::vector<double> values;
  for (const Run& run : arm.runs) values.push_back(value(run));
  return values;
}

/// How many times faster than `base`: the ratio of the medians that stand in the table. Runs of one turn
/// are neighbours in time.
template <class Value>
Ratio speedup_of(const Arm& base, const Arm& arm, Value&& value) {
  return bench::ratio_of_medians(values_of(base, value), values_of(arm, value), kSeed);
}

/// One run has no interval.
Json to_json(const Ratio& speedup, std::size_t runs) {
  if (runs == 1) return {{"ratio", speedup.value}, {"low", nullptr}, {"high", nullptr}};
  return {{"ratio", speedup.value}, {"low", speedup.low}, {"high", speedup.high}};
}

Json to_json(const Run& run) {
  Json json{{"total_seconds", run.total_seconds}};
  if (run.is_split) {
    json["exchange_seconds"] = run.exchange_seconds;
    json["compute_seconds"] = run.compute_seconds;
  }
  return json;
}

Json to_json(const Arm& base, const Arm& arm) {
  Json json{{"algorithm", arm.algorithm}};
  if (is_split(base) && is_split(arm))
    json["exchange_speedup"] = to_json(speedup_of(base, arm, exchange_of), arm.runs.size());
  json["total_speedup"] = to_json(speedup_of(base, arm, total_of), arm.runs.size());
  json["runs"] = Json::array();
  for (const Run& run : arm.runs) json["runs"].push_back(to_json(run));
  return json;
}

template <class Value>
std::string milliseconds(const Arm& arm, Value&& value) {
  return fmt::format("{:.3f}", 1e3 * bench::summarize(values_of(arm, value), kSeed).median);
}

std::string times(const Ratio& speedup, std::size_t runs) {
  if (runs == 1) return fmt::format("{:.2f}", speedup.value);
  return fmt::format("{:.2f} ({:.2f} - {:.2f})", speedup.value, speedup.low, speedup.high);
}

Line heading() {
  return {"algorithm",   "total ms",         "compute ms",
          "exchange ms", "exchange speedup", "total speedup"};
}

Line cells(const Arm& base, const Arm& arm) {
  Line line{arm.algorithm, milliseconds(arm, total_of)};
  if (is_split(arm)) {
    line.push_back(milliseconds(arm, compute_of));
    line.push_back(milliseconds(arm, exchange_of));
  } else {
    line.insert(line.end(), 2, kUnknown);
  }
  const bool both_split = is_split(base) && is_split(arm);
  const std::size_t runs = arm.runs.size();
  line.push_back(both_split ? times(speedup_of(base, arm, exchange_of), runs) : kUnknown);
  line.push_back(times(speedup_of(base, arm, total_of), runs));
  return line;
}

std::string how_measured(std::size_t runs) {
  if (runs == 1)
    return "One run of each, so differences may be chance; --repeat 5 makes five, with intervals.";
  return fmt::format("Medians of {} runs of each; ratios of the medians, with 95% intervals.",
                     runs);
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

void print_report(const CommonOptions& options, const Json& about, std::span<const Arm> arms) {
  if (options.format == Format::json) {
    Json report = about;
    for (const Arm& arm : arms) report["arms"].push_back(to_json(arms.front(), arm));
    fmt::print("{}\n", report.dump());
  } else {
    for (const auto& [key, value] : about.items())
      if (!value.is_array()) fmt::print("{}: {}\n", key, plain(value));
    std::vector<Line> lines{heading()};
    for (const Arm& arm : arms) lines.push_back(cells(arms.front(), arm));
    fmt::print("{}", bench::align(lines, false));
    if (arms.size() > 1) fmt::print("{}\n", how_measured(arms.front().runs.size()));
  }
  if (std::fflush(stdout) != 0)
    throw Error(ErrorClass::argument, "standard output cannot be written");
}

}  // namespace rondo::apps
