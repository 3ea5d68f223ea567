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
using bench::Summary;

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
Summary summary_of(const Arm& arm, Value&& value) {
  std::vector<double> samples;
  for (const Run& run : arm.runs) samples.push_back(value(run));
  return bench::summarize(std::move(samples), kSeed);
}

/// How many times faster than `base`, run by run: runs of one turn are neighbours in time.
template <class Value>
Summary speedup_of(const Arm& base, const Arm& arm, Value&& value) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < arm.runs.size(); ++i)
    ratios.push_back(value(base.runs[i]) / value(arm.runs[i]));
  return bench::summarize(std::move(ratios), kSeed);
}

Json to_json(const Summary& summary) {
  return {{"median", summary.median}, {"low", summary.low}, {"high", summary.high}};
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
    json["exchange_speedup"] = to_json(speedup_of(base, arm, exchange_of));
  json["total_speedup"] = to_json(speedup_of(base, arm, total_of));
  json["runs"] = Json::array();
  for (const Run& run : arm.runs) json["runs"].push_back(to_json(run));
  return json;
}

std::string milliseconds(const Summary& seconds) {
  return fmt::format("{:.3f}", 1e3 * seconds.median);
}

std::string times(const Summary& speedup) {
  if (speedup.low == speedup.high) return fmt::format("{:.2f}", speedup.median);
  return fmt::format("{:.2f} ({:.2f} - {:.2f})", speedup.median, speedup.low, speedup.high);
}

Line heading() {
  return {"algorithm",   "total ms",         "compute ms",
          "exchange ms", "exchange speedup", "total speedup"};
}

Line cells(const Arm& base, const Arm& arm) {
  Line line{arm.algorithm, milliseconds(summary_of(arm, total_of))};
  if (is_split(arm)) {
    line.push_back(milliseconds(summary_of(arm, compute_of)));
    line.push_back(milliseconds(summary_of(arm, exchange_of)));
  } else {
    line.insert(line.end(), 2, kUnknown);
  }
  const bool both_split = is_split(base) && is_split(arm);
  line.push_back(both_split ? times(speedup_of(base, arm, exchange_of)) : kUnknown);
  line.push_back(times(speedup_of(base, arm, total_of)));
  return line;
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
  }
  if (std::fflush(stdout) != 0)
    throw Error(ErrorClass::argument, "standard output cannot be written");
}

}  // namespace rondo::apps
