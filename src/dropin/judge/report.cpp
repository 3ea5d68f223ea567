// The text of the report on a comparison.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "dropin/judge/judge.hpp"
#include "dropin/judge/savings.hpp"
#include "dropin/report/turns.hpp"

namespace rondo::dropin::ab {

namespace {

/// As in "1.4 times" and "140 times".
std::string times_text(double times) {
  return fmt::format("{:.{}f} times", std::max(times, 1.1), times < 10 ? 1 : 0);
}

/// How much longer a run must be to show a difference.
std::string longer_text(const Verdict& verdict) {
  constexpr double kMost = 1000;
  const std::optional<double> times = verdict.times_as_long();
  if (!times)
    return fmt::format(
        "rondo: a longer run would not tell either: whole runs differ by {:.0f} % in any case\n",
        100 * verdict.widening);
  if (*times > kMost) return "rondo: no run of less than 1000 times as long would tell\n";
  return fmt::format("rondo: a run {} as long would tell, if it goes on as so far\n",
                     times_text(*times));
}

/// How much longer a run with too few turns must be, by the calls of its longest series.
std::string longer_for_pairs(const RunTimes& run) {
  std::int64_t calls = 0;
  for (const SeriesTimes& series : run.series) calls = std::max(calls, series.calls);
  const auto needed = static_cast<std::int64_t>(kFewestPairs * kPairCalls);
  if (calls == 0 || calls >= needed) return "run the program longer";
  return fmt::format("run the program {} as long",
                     times_text(1.2 * static_cast<double>(needed) / static_cast<double>(calls)));
}

std::string program_text(const RunTimes& run) {
  constexpr std::string_view kFigure = "rondo: speedup of the program: ";
  const std::optional<Verdict> verdict = judge(run);
  if (!verdict)
    return fmt::format(
        "{}no significant difference, too few turns\n"
        "rondo: an estimate needs at least {} pairs of turns ({} calls) of one collective on one "
        "communicator,\n"
        "rondo: and more where several series take turns at the same time; {}\n",
        kFigure, kFewestPairs, kFewestPairs * kPairCalls, longer_for_pairs(run));
  const auto [low, high] = verdict->interval;
  const std::string range =
      fmt::format("95 % interval {:.3f} .. {:.3f}, {} pairs of turns\n", low, high, verdict->pairs);
  if (!verdict->is_significant())
    return fmt::format("{}no significant difference, {}", kFigure, range) + longer_text(*verdict);
  return fmt::format(
      "{}{:.3f}, {}"
      "rondo: estimates for the whole run: {:.3f} s with Rondo alone, {:.3f} s with the MPI "
      "library "
      "alone\n",
      kFigure, verdict->speedup(), range, verdict->rondo_alone_seconds,
      verdict->library_alone_seconds);
}

std::string run_text(const RunTimes& run) {
  return fmt::format(
      "rondo: rank {} took {:.3f} s until MPI_Finalize, {:.3f} s of it ({:.0f} %) in exchanges\n",
      run.rank, run.wall_seconds, run.exchange_seconds,
      100 * run.exchange_seconds / run.wall_seconds);
}

std::string inside_text(const InsideByForm& inside) {
  std::string out =
      "rondo: time inside the calls, mean over ranks and calls, including the time spent waiting "
      "for other ranks:\n";
  std::size_t width = 9;
  for (std::size_t form = 0; form < inside.size(); ++form)
    if (inside[form].calls_each != 0)
      width = std::max(width, std::string_view(buffers::kFormNames[form]).size());
  out += fmt::format("rondo: {:<{}} {:>12} {:>16} {:>16}\n", "call", width, "calls each",
                     "MPI library us", "Rondo us");
  for (std::size_t form = 0; form < inside.size(); ++form) {
    const auto& [calls_each, library_seconds, rondo_seconds] = inside[form];
    if (calls_each == 0) continue;
    const double each = 1e6 / static_cast<double>(calls_each);
    out += fmt::format("rondo: {:<{}} {:>12} {:>16.1f} {:>16.1f}\n", buffers::kFormNames[form],
                       width, calls_each, library_seconds * each, rondo_seconds * each);
  }
  return out;
}

bool has_calls(const InsideByForm& inside) {
  return std::ranges::any_of(inside,
                             [](const InsideCalls& calls) { return calls.calls_each != 0; });
}

}  // namespace

std::string report_text(const RunTimes& run) {
  if (!has_calls(run.inside))
    return fmt::format(
        "rondo: nothing was compared: a comparison needs {} calls of one collective on one "
        "communicator, after the first calls there, which are forwarded (RONDO_FORWARD_CALLS), "
        "and one call to warm up\n",
        kPairCalls);
  std::string out = fmt::format(
      "rondo: the MPI library and Rondo took turns, {} calls each; their order is drawn from {}\n",
      kTurnCalls,
      run.seed ? fmt::format("RONDO_AB_SEED={}", *run.seed)
               : "the RONDO_AB_SEED of each communicator's rank 0");
  out += program_text(run) + run_text(run);
  if (const std::int64_t calls = calls_left_out(run); calls != 0)
    out += fmt::format(
        "rondo: left out: {} calls of rank {}, because their turns were too few, were cut off by "
        "the end of the run or contained a long pause\n",
        calls, run.rank);
  return out + inside_text(run.inside);
}

}  // namespace rondo::dropin::ab
