#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "algorithms.hpp"
#include "support/text.hpp"

namespace rondo::bench {

namespace {

using support::counted;
using support::Line;
using support::Summary;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Whole nanoseconds: a batch of round trips resolves no more.
std::optional<double> in_nanoseconds(const std::optional<double>& time) {
  return time ? std::optional(std::round(*time)) : std::nullopt;
}

/// Pairs of an iteration and what it and those after it ran.
Json changes_of(std::span<const std::string> ran) {
  Json changes = Json::array();
  for (std::size_t i = 0; i < ran.size(); ++i)
    if (i == 0 || ran[i] != ran[i - 1]) changes.push_back(Json::array({i, ran[i]}));
  return changes;
}

Json to_json(const Overlap& overlap) {
  return {{"tests", overlap.tests},
          {"start_us", rounded(overlap.start)},
          {"compute_us", rounded(overlap.compute)},
          {"total_us", rounded(overlap.total)},
          {"visible_us", rounded(overlap.visible)},
          {"overlap_percent", rounded(overlap.percent)},
          {"imb_overlap_percent", rounded(overlap.imb_percent)}};
}

/// Every row has the keys, so that all rows of a file have the same.
Json to_json(const std::optional<FirstCalls>& first, const std::string& algorithm) {
  const bool is_auto = algorithm == kAuto;
  const bool is_there = first && (is_auto || algorithm == kMpi);
  const bool has_learning = is_there && is_auto;
  return {{"first_calls", is_there ? Json(first->calls) : Json(nullptr)},
          {"first_us",
           is_there ? Json(rounded(is_auto ? first->auto_us : first->mpi_us)) : Json(nullptr)},
          {"learning_calls", has_learning ? Json(first->all_calls) : Json(nullptr)},
          {"learned", has_learning ? Json(first->has_learned) : Json(nullptr)}};
}

Json to_json(const Result& result) {
  const Origin& origin = result.origin;
  Json json = {{"collective", result.collective},
               {"algorithm", result.algorithm},
               {"parameters", result.parameters},
               {"ranks", result.ranks},
               {"nodes", result.nodes},
               {"bytes", result.bytes},
               {"distribution", result.distribution},
               {"iterations", result.iterations},
               {"warmup", result.warmup},
               {"batch", result.batch},
               {"seed", result.seed},
               {"draws", result.draws}};
  add_times(json, result.microseconds);
  json.update({{"bytes_per_rank", rounded(result.bytes_per_rank)},
               {"rounds", or_null(result.rounds)},
               {"errors", or_null(result.errors)},
               {"speedup", rounded(result.speedup)},
               {"disturbed", result.disturbed.empty() ? Json(nullptr) : Json(result.disturbed)}});
  json.update(to_json(result.first_calls, result.algorithm));
  json.update({{"round_trip_before_ns", or_null(in_nanoseconds(result.round_trips.before))},
               {"round_trip_after_ns", or_null(in_nanoseconds(result.round_trips.after))},
               {"rondo", origin.rondo},
               {"mpi", origin.mpi},
               {"mpi_version", origin.mpi_version},
               {"host", origin.host},
               {"cores", origin.cores},
               {"date", origin.date},
               {"command", origin.command}});
  if (result.overlap) json.update(to_json(*result.overlap));
  for (const double sample : result.samples) json["samples_us"].push_back(rounded(sample));
  if (!result.ran.empty()) json["ran"] = changes_of(result.ran);
  return json;
}

/// Enough digits to tell times apart, whatever their magnitude.
std::string time_text(double microseconds) {
  const int digits = microseconds < 100 ? 2 : microseconds < 1000 ? 1 : 0;
  return fmt::format("{:.{}f}", microseconds, digits);
}

template <class Value>
std::string or_dash(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

/// The text that the user gave, without parameters if the name alone tells it from the others.
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

Line overlap_heading() {
  return {"  algorithm", "median us", "start",   "compute", "total",
          "visible",     "overlap %", "speedup", "errors"};
}

Line overlap_cells(const Result& result, const std::string& name) {
  const Overlap& overlap = *result.overlap;
  return {name,
          time_text(result.microseconds.median),
          time_text(overlap.start),
          time_text(overlap.compute),
          time_text(overlap.total),
          time_text(overlap.visible),
          fmt::format("{:.0f}", overlap.percent),
          fmt::format("{:.2f}", result.speedup),
          or_dash(result.errors)};
}

/// What a program waits for.
double cost_of(const Result& result) {
  return result.overlap ? result.overlap->visible : result.microseconds.median;
}

std::string title(const Result& first) {
  const std::string calls = first.batch > 1 ? fmt::format(" of {} calls", first.batch) : "";
  return fmt::format(
      "{}, S = {} bytes, {}: {} on {}\n{}{}; a rank sends {:.0f} bytes in the mean\n",
      first.collective, first.bytes, first.distribution, counted(first.ranks, "rank"),
      counted(first.nodes, "node"), counted(first.iterations, "sample"), calls,
      first.bytes_per_rank);
}

/// How far apart the cores were, if they are known.
std::string cores_line(const RoundTrips& trips) {
  if (!trips.before || !trips.after) return "";
  const std::string times =
      fmt::format("A flag goes to another core and back in {:.0f} ns before, {:.0f} ns after",
                  *trips.before, *trips.after);
  return times + ".\n";
}

/// Why nothing is said about which row is the fastest.
std::string disturbance_line(const std::string& disturbed) {
  if (disturbed.empty()) return "";
  return fmt::format("Disturbed: {}. Measure again on a quiet machine.\n", disturbed);
}

std::string first_calls_lines(const FirstCalls& first) {
  return fmt::format(
      "auto's first {} on a new communicator: {} us each (mpi: {} us).\n"
      "  The rows show what follows after {}{}.\n",
      counted(first.calls, "call"), time_text(first.auto_us), time_text(first.mpi_us),
      counted(first.all_calls, "call"),
      first.has_learned ? ", when it had learned" : "; it was still learning");
}

/// The row that gets the star; null if none does.
const Result* fastest_of(std::span<const Result> results) {
  const Result* fastest = nullptr;
  for (const Result& result : results) {
    const bool may_win = result.disturbed.empty() && result.errors.value_or(0) == 0;
    if (may_win && (fastest == nullptr || cost_of(result) < cost_of(*fastest))) fastest = &result;
  }
  return fastest;
}

/// The parameters that an algorithm ran with, if there is something to say.
std::string legend(const Result& result, const std::string& name) {
  if (result.parameters.empty() && !result.rounds) return "";
  std::string line = fmt::format("  {}:", name);
  if (result.rounds) line += fmt::format(" {}", counted(*result.rounds, "round"));
  if (!result.parameters.empty())
    line += fmt::format("{} {}", result.rounds ? "," : "", result.parameters);
  return line + '\n';
}

}  // namespace

double rounded(double microseconds) {
  return std::round(microseconds * 1e3) / 1e3;
}

void add_times(Json& line, const Summary& microseconds) {
  line.update({{"median_us", rounded(microseconds.median)},
               {"mad_us", rounded(microseconds.mad)},
               {"min_us", rounded(microseconds.min)},
               {"p95_us", rounded(microseconds.p95)},
               {"max_us", rounded(microseconds.max)},
               {"low_us", rounded(microseconds.low)},
               {"high_us", rounded(microseconds.high)}});
}

std::string to_json_line(const Result& result) {
  return support::json_line(to_json(result));
}

std::string csv_header(bool has_overlap) {
  Result result;
  if (has_overlap) result.overlap.emplace();
  return support::csv_header(to_json(result));
}

std::string to_csv_line(const Result& result) {
  return support::csv_line(to_json(result));
}

std::string to_table(std::span<const Result> results, const std::string& note) {
  std::string out = title(results.front());
  if (!note.empty()) out += note + '\n';
  out += cores_line(results.front().round_trips);
  out += disturbance_line(results.front().disturbed);
  const Result* const fastest = fastest_of(results);
  const bool has_overlap = results.front().overlap.has_value();
  std::vector<Line> lines{has_overlap ? overlap_heading() : heading()};
  std::string legends;
  for (const Result& result : results) {
    const std::string name = short_name(results, result);
    const std::string marked = (&result == fastest ? "* " : "  ") + name;
    lines.push_back(has_overlap ? overlap_cells(result, marked) : cells(result, marked));
    legends += legend(result, name);
  }
  out += support::align(lines);
  if (!legends.empty()) out += "rounds and parameters:\n" + legends;
  if (const auto& first = results.front().first_calls) out += first_calls_lines(*first);
  return out + '\n';
}

Report::Report(Format format, const std::string& path, const Origin& origin, std::string note,
               bool has_overlap)
    : format_(format), note_(std::move(note)), file_(path) {
  if (format_ == Format::csv) file_.write(csv_header(has_overlap));
  if (format_ == Format::table) file_.write(to_text(origin));
  file_.flush();
}

void Report::add(std::span<const Result> results) {
  if (results.empty()) return;
  if (format_ == Format::table) {
    file_.write(to_table(results, note_));
  } else {
    for (const Result& result : results)
      file_.write(format_ == Format::json ? to_json_line(result) : to_csv_line(result));
  }
  file_.flush();
}

}  // namespace rondo::bench
