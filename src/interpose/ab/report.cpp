#include "interpose/ab/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "interpose/ab/turns.hpp"

namespace rondo::interpose::ab {

namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

std::string seed_text(const std::vector<Compared>& all) {
  const bool is_one = std::ranges::all_of(
      all, [&](const Compared& compared) { return compared.seed == all.front().seed; });
  return is_one ? text("RONDO_AB_SEED=", all.front().seed)
                : std::string("the RONDO_AB_SEED of each communicator's rank 0");
}

std::string line_text(const char* name, const std::vector<Pair>& pairs) {
  const auto [sum, interval] = compare(pairs);
  const std::string range =
      interval ? formatted("%.3f .. %.3f", interval->low, interval->high) : "too few pairs";
  return formatted("rondo: %-9s %9zu %12zu %12.6f %12.6f %8.3f  %s\n", name, pairs.size(),
                   pairs.size() * kBlockCalls, sum.library_seconds, sum.rondo_seconds,
                   sum.speedup(), range.c_str());
}

void append(std::vector<Pair>& pairs, const Compared& compared) {
  pairs.insert(pairs.end(), compared.pairs.begin(), compared.pairs.end());
}

/// One line for each collective, and one for all where there are several.
std::string table_text(const std::vector<Compared>& all) {
  std::string out = formatted("rondo: %-9s %9s %12s %12s %12s %8s  %s\n", "call", "pairs",
                              "calls each", "library s", "Rondo s", "speedup", "95 % interval");
  std::vector<Pair> total;
  int lines = 0;
  for (std::size_t form = 0; form < api::kFormNames.size(); ++form) {
    std::vector<Pair> pairs;
    for (const Compared& compared : all)
      if (compared.form == static_cast<api::Form>(form)) append(pairs, compared);
    if (pairs.empty()) continue;
    out += line_text(api::kFormNames[form], pairs);
    total.insert(total.end(), pairs.begin(), pairs.end());
    ++lines;
  }
  return lines > 1 ? out + line_text("all", total) : out;
}

std::int64_t left_out(const std::vector<Compared>& all) {
  std::int64_t calls = 0;
  for (const Compared& compared : all)
    calls += compared.calls - static_cast<std::int64_t>(compared.pairs.size()) * kPairCalls;
  return calls;
}

/// What all calls of the library's cost more than Rondo's would have, and what all of Rondo's cost
/// less than the library's would have, for a rank on average.
struct Gain {
  double of_rondo = 0;    ///< the run would be so much shorter with Rondo alone
  double of_library = 0;  ///< and so much longer with the library alone
};

Gain gain_of(const std::vector<Compared>& all, int ranks) {
  Gain gain;
  for (const Compared& compared : all) {
    if (compared.pairs.empty()) continue;
    const Pair sum = sum_of(compared.pairs);
    const double calls = static_cast<double>(compared.pairs.size() * kBlockCalls);
    const double of_call = (sum.library_seconds - sum.rondo_seconds) / calls *
                           static_cast<double>(compared.ranks) / ranks;
    const std::int64_t to_library = library_calls(compared.seed, compared.calls);
    gain.of_rondo += of_call * static_cast<double>(to_library);
    gain.of_library += of_call * static_cast<double>(compared.calls - to_library);
  }
  return gain;
}

std::string run_text(const WholeRun& run, const Gain& gain) {
  if (!std::isfinite(run.wall_seconds)) return {};
  return formatted(
      "rondo: the run took %.3f s until MPI_Finalize, %.3f s of it (%.0f %%) in exchanges, on "
      "average over the ranks\n"
      "rondo: if nothing else changes it takes %.3f s with Rondo alone and %.3f s with the MPI "
      "library alone\n",
      run.wall_seconds, run.exchange_seconds, 100 * run.exchange_seconds / run.wall_seconds,
      run.wall_seconds - gain.of_rondo, run.wall_seconds + gain.of_library);
}

bool has_pairs(const std::vector<Compared>& all) {
  return std::ranges::any_of(all, [](const Compared& compared) { return !compared.pairs.empty(); });
}

/// Whether a collective is in the table without an interval.
bool has_few(const std::vector<Compared>& all) {
  std::array<std::size_t, api::kFormNames.size()> pairs{};
  for (const Compared& compared : all)
    pairs[static_cast<std::size_t>(compared.form)] += compared.pairs.size();
  return std::ranges::any_of(pairs, [](std::size_t n) { return n != 0 && n < kFewestPairs; });
}

}  // namespace

std::string report_text(const WholeRun& run, const std::vector<Compared>& all) {
  if (!has_pairs(all))
    return text("rondo: nothing is compared: that takes ", kPairCalls,
                " calls of one collective on one communicator, besides the first ones there "
                "(RONDO_FORWARD_CALLS) and one of Rondo's to warm up\n");
  std::string out = text("rondo: the MPI library and Rondo took turns, ", kBlockCalls,
                         " calls each, in an order drawn from ", seed_text(all),
                         "\nrondo: a call costs what the rank paid that waited least\n");
  out += table_text(all);
  if (has_few(all))
    out +=
        text("rondo: an interval takes ", kFewestPairs, " pairs of turns: a longer run has more\n");
  if (const std::int64_t calls = left_out(all); calls != 0)
    out += text("rondo: left out: ", calls,
                " calls: their turns were cut off by the end, failed, or "
                "came after the ",
                kMostKept, " calls that a rank keeps\n");
  return out + run_text(run, gain_of(all, run.ranks));
}

}  // namespace rondo::interpose::ab
