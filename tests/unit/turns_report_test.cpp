// What `--ab` prints, from known numbers, and the record that it is printed from.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>

#include "base/error.hpp"
#include "dropin/judge/judge.hpp"
#include "refusal.hpp"
#include "turns_program.hpp"

namespace rondo::dropin::ab {
namespace {

using test::says;

RunTimes run_of(SimulatedSeries costs, std::int64_t calls) {
  const auto computing = [](std::int64_t, std::mt19937_64&) { return 1e-3; };
  return simulate_turns({.series = {costs}, .iterations = calls, .computing = computing}, 3);
}

InsideByForm inside_of(buffers::Form form, InsideCalls calls) {
  InsideByForm inside;
  inside[static_cast<std::size_t>(form)] = calls;
  return inside;
}

/// What is said of a run whose record went from the program to the judge.
std::string report_of(RunTimes run, std::optional<std::uint64_t> seed, const InsideByForm& inside) {
  run.seed = seed;
  run.inside = inside;
  return report_text(from_bytes(to_bytes(run)));
}

const InsideByForm kInside = inside_of(
    buffers::Form::alltoallv, {.calls_each = 1000, .library_seconds = 2, .rondo_seconds = 0.5});

TEST(TurnsReport, ADifferenceIsTheProgramsSpeedup) {
  const std::string report = report_of(run_of({2e-3, 1e-3}, 1000 * kPairCalls), 3, kInside);
  EXPECT_TRUE(says(report, "RONDO_AB_SEED=3\n"));
  EXPECT_TRUE(says(report,
                   "rondo: speedup of the program: 1.500, 95 % interval 1.455 .. 1.545, "
                   "1000 pairs of turns\n"));
  EXPECT_TRUE(says(report, "32.000 s with Rondo alone, 48.000 s with the MPI library alone\n"));
  EXPECT_TRUE(says(report, "rank 0 took 40.000 s until MPI_Finalize, 24.000 s of it (60 %)"));
  EXPECT_FALSE(says(report, "left out")) << report;
}

TEST(TurnsReport, TimeInsideTheCallsIsNoRatio) {
  const std::string report = report_of(run_of({1e-3, 1e-3}, 100 * kPairCalls), 3, kInside);
  EXPECT_TRUE(says(report,
                   "speedup of the program: no significant difference, 95 % interval 0.970 "
                   ".. 1.030, 100 pairs"));
  EXPECT_TRUE(says(report, "waiting for other ranks:\n"));
  EXPECT_TRUE(says(report, "rondo: alltoallv         1000           2000.0            500.0\n"));
  EXPECT_TRUE(says(report, "a longer run would not tell either: whole runs differ by 3 %"));
  EXPECT_FALSE(says(report, "4.0")) << report;
  EXPECT_FALSE(says(report, "estimates")) << report;
}

/// A speedup, its interval without what whole runs differ by, and how much longer a run must be to show it.
struct Longer {
  double speedup;
  double low;
  double high;
  std::optional<double> times;
};

const Longer kLonger[] = {
    {1.20, 1.00, 1.40, 1.40},         {1.10, 0.90, 1.30, 8.38},  // nearer to 1, so longer
    {0.80, 0.60, 1.00, 1.37},                                    // slower is told alike
    {1.02, 0.90, 1.14, std::nullopt},                            // whole runs differ by more
    {0.98, 0.90, 1.06, std::nullopt},
};

TEST(TurnsReport, HowMuchLongerARunMustBe) {
  for (const Longer& row : kLonger) {
    const Verdict verdict{
        .library_alone_seconds = row.speedup,
        .rondo_alone_seconds = 1,
        .interval = {.low = row.low * (1 - kBetweenRuns), .high = row.high * (1 + kBetweenRuns)},
        .pairs = 10,
        .widening = kBetweenRuns};
    const auto times = verdict.times_as_long();
    ASSERT_EQ(times.has_value(), row.times.has_value()) << row.speedup;
    if (times) {
      EXPECT_NEAR(*times, *row.times, 0.05) << row.speedup;
    }
  }
}

TEST(TurnsReport, FewTurnsTellNothing) {
  const std::string report = report_of(run_of({2e-3, 1e-3}, 5 * kPairCalls + 3), 3, kInside);
  EXPECT_TRUE(says(report, "no significant difference, too few turns\n"));
  EXPECT_TRUE(
      says(report, "at least 6 pairs of turns (96 calls) of one collective on one communicator"))
      << report;
  EXPECT_TRUE(says(report, "left out: 83 calls of rank 0"));
}

TEST(TurnsReport, SeveralSeedsAreNotGivenAsOne) {
  const RunTimes run = run_of({2e-3, 1e-3}, 10 * kPairCalls);
  const std::string report = report_of(run, std::nullopt, kInside);
  EXPECT_FALSE(says(report, "RONDO_AB_SEED=")) << report;
  EXPECT_TRUE(says(report, "each communicator's rank 0"));
}

TEST(TurnsReport, NothingIsMadeUp) {
  const std::string report = report_of(run_of({2e-3, 1e-3}, 0), 3, {});
  EXPECT_TRUE(report.starts_with("rondo: nothing was compared")) << report;
  EXPECT_EQ(std::ranges::count(report, '\n'), 1) << report;
}

TEST(TurnsRecord, HoldsAllThatTheProgramKnows) {
  RunTimes run = run_of({2e-3, 1e-3}, 2 * kPairCalls);
  run.rank = 3;
  run.shares_cores = true;
  run.seed = 7;
  run.inside = kInside;
  const RunTimes read = from_bytes(to_bytes(run));
  EXPECT_EQ(read.rank, 3);
  EXPECT_EQ(read.wall_seconds, run.wall_seconds);
  EXPECT_EQ(read.exchange_seconds, run.exchange_seconds);
  EXPECT_EQ(read.set_up_seconds, run.set_up_seconds);
  EXPECT_TRUE(read.shares_cores);
  EXPECT_EQ(read.seed, run.seed);
  EXPECT_EQ(read.inside[1].rondo_seconds, 0.5);
  ASSERT_EQ(read.series.size(), 1);
  EXPECT_EQ(read.series[0].order, run.series[0].order);
  EXPECT_EQ(read.series[0].calls, 2 * kPairCalls);
  ASSERT_EQ(read.series[0].turns.size(), 4);
  EXPECT_EQ(read.series[0].turns[3].end, run.series[0].turns[3].end);
  EXPECT_EQ(read.series[0].turns[3].outside, run.series[0].turns[3].outside);
}

/// Cut short anywhere, with something behind it, or of another kind, it is no record.
TEST(TurnsRecord, WhatIsNoRecordIsRefused) {
  std::vector<std::byte> bytes = to_bytes(run_of({2e-3, 1e-3}, kPairCalls));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(from_bytes(std::span(bytes).first(length)), Error) << length;
  bytes.push_back(std::byte{});
  EXPECT_THROW(from_bytes(bytes), Error);
  bytes.pop_back();
  EXPECT_NO_THROW(from_bytes(bytes));
  bytes.front() ^= std::byte{1};
  EXPECT_THROW(from_bytes(bytes), Error);
}

}  // namespace
}  // namespace rondo::dropin::ab
