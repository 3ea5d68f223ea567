#include "common/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/file.hpp"
#include "support/statistics.hpp"
#include "support/text.hpp"

namespace rondo::apps {

namespace {

using support::Line;
using support::Ratio;

constexpr std::uint64_t kSeed = 1;
const std::string kUnknown = "-";

using Time = double Run::*;

/// Whether the times of the exchanges are known for the arm's runs.
bool is_split(const Arm& arm) {
  return std::all_of(arm.runs.begin(), arm.runs.end(), [](const Run& run) { return run.is_split; });
}

std::vector<double> seconds_of(const Arm& arm, Time time) {
  std::vector<double> seconds;
  for (const Run& run : arm.runs) seconds.push_back(run.*time);
  return seconds;
}

/// How many times faster than `base`: the ratio of the medians in the table. Runs of one turn are
/// neighbours in time.
Ratio speedup_of(const Arm& base, const Arm& arm, Time time) {
  return support::ratio_of_medians(seconds_of(base, time), seconds_of(arm, time), kSeed);
}

/// A single run has no interval.
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
    json["exchange_speedup"] =
        to_json(speedup_of(base, arm, &Run::exchange_seconds), arm.runs.size());
  json["total_speedup"] = to_json(speedup_of(base, arm, &Run::total_seconds), arm.runs.size());
  json["runs"] = Json::array();
  for (const Run& run : arm.runs) json["runs"].push_back(to_json(run));
  return json;
}

double median_of(const Arm& arm, Time time) {
  std::vector<double> seconds = seconds_of(arm, time);
  return support::median(seconds);
}

std::string milliseconds(const Arm& arm, Time time) {
  return fmt::format("{:.3f}", 1e3 * median_of(arm, time));
}

std::string times(const Ratio& speedup, std::size_t runs) {
  if (runs == 1) return fmt::format("{:.2f}", speedup.value);
  return fmt::format("{:.2f} ({:.2f} - {:.2f})", speedup.value, speedup.low, speedup.high);
}

Line cells(const Arm& base, const Arm& arm) {
  const std::size_t runs = arm.runs.size();
  const bool both_split = is_split(base) && is_split(arm);
  return {arm.algorithm,
          milliseconds(arm, &Run::total_seconds),
          is_split(arm) ? milliseconds(arm, &Run::compute_seconds) : kUnknown,
          is_split(arm) ? milliseconds(arm, &Run::exchange_seconds) : kUnknown,
          both_split ? times(speedup_of(base, arm, &Run::exchange_seconds), runs) : kUnknown,
          times(speedup_of(base, arm, &Run::total_seconds), runs)};
}

std::string measurement_note(std::size_t runs) {
  if (runs == 1)
    return "One run of each, so differences may be due to chance; --repeat 5 makes five runs, with "
           "intervals.";
  return fmt::format("Medians of {} runs of each; ratios of the medians, with 95% intervals.",
                     runs);
}

std::string table(const Json& about, std::span<const Arm> arms) {
  std::string out;
  for (const auto& [key, value] : about.items())
    if (!value.is_array())
      out +=
          fmt::format("{}: {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  std::vector<Line> lines{
      {"algorithm", "total ms", "compute ms", "exchange ms", "exchange speedup", "total speedup"}};
  for (const Arm& arm : arms) lines.push_back(cells(arms.front(), arm));
  out += support::align(lines);
  if (arms.size() > 1) out += measurement_note(arms.front().runs.size()) + '\n';
  return out;
}

/// One row for an arm. What is known by algorithm, as errors are, is the arm's own; what every
/// iteration moved is left out.
Json row_of(const Json& about, const Arm& base, const Arm& arm) {
  Json row;
  for (const auto& [key, value] : about.items()) {
    if (value.is_object())
      row[key] = value.value(arm.algorithm, Json(nullptr));
    else if (!value.is_array())
      row[key] = value;
  }
  const Json details = to_json(base, arm);
  row["algorithm"] = arm.algorithm;
  row["runs"] = arm.runs.size();
  for (const auto& [name, time] :
       {std::pair{"total", &Run::total_seconds}, std::pair{"compute", &Run::compute_seconds},
        std::pair{"exchange", &Run::exchange_seconds}})
    row[fmt::format("{}_seconds", name)] =
        time == &Run::total_seconds || is_split(arm) ? Json(median_of(arm, time)) : Json(nullptr);
  for (const char* name : {"exchange_speedup", "total_speedup"}) {
    const Json speedup = details.value(name, Json::object());
    row[name] = speedup.value("ratio", Json(nullptr));
    for (const char* end : {"low", "high"})
      row[fmt::format("{}_{}", name, end)] = speedup.value(end, Json(nullptr));
  }
  return row;
}

std::string csv(const Json& about, std::span<const Arm> arms) {
  std::string out = support::csv_header(row_of(about, arms.front(), arms.front()));
  for (const Arm& arm : arms) out += support::csv_line(row_of(about, arms.front(), arm));
  return out;
}

}  // namespace

void print_report(const CommonOptions& options, Json about, std::span<const Arm> arms) {
  support::OutputFile out;
  if (options.format == Format::json) {
    for (const Arm& arm : arms) about["arms"].push_back(to_json(arms.front(), arm));
    out.write(support::json_line(about));
  } else if (options.format == Format::csv) {
    out.write(csv(about, arms));
  } else {
    out.write(table(about, arms));
  }
  out.flush();
}

}  // namespace rondo::apps
