// What `--ab` concludes, for simulated programs whose whole runs are known.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "dropin/judge/judge.hpp"
#include "dropin/judge/savings.hpp"
#include "turns_program.hpp"

namespace rondo::dropin::ab {
namespace {

using Computing = std::function<double(std::int64_t, std::mt19937_64&)>;

constexpr double kMeanComputing = 1e-3;

double quiet(std::int64_t, std::mt19937_64&) {
  return kMeanComputing;
}

double normal(std::int64_t, std::mt19937_64& random) {
  return std::normal_distribution<double>(kMeanComputing, 1e-4)(random);
}

/// Cores that others use too: now and then an iteration takes far longer.
double with_outliers(std::int64_t, std::mt19937_64& random) {
  const bool is_hit = std::bernoulli_distribution(0.02)(random);
  return 0.8e-3 + (is_hit ? std::exponential_distribution<double>(100)(random) : 0);
}

/// Iterations that grow to twice their first duration; those of a run have the mean.
Computing growing(std::int64_t iterations) {
  return [iterations](std::int64_t iteration, std::mt19937_64& random) {
    const double part = static_cast<double>(iteration) / static_cast<double>(iterations);
    return normal(iteration, random) * (1 + part) / 1.5;
  };
}

/// Long iterations and short ones, in step with turns.
Computing rhythmic(std::int64_t period) {
  return [period](std::int64_t iteration, std::mt19937_64& random) {
    return normal(iteration, random) * (iteration % period < period / 2 ? 1.5 : 0.5);
  };
}

/// Each turn takes much like the one before.
double drifting(std::int64_t iteration, std::mt19937_64& random) {
  static double state = 0;
  if (iteration == 0) state = 0;
  state = 0.98 * state + std::normal_distribution<double>(0, 2e-5)(random);
  return kMeanComputing + state;
}

constexpr std::int64_t kFew = 8 * kPairCalls;
constexpr std::int64_t kMany = 60 * kPairCalls;

SimulatedProgram program_of(std::vector<SimulatedSeries> series, const Computing& computing,
                            std::int64_t iterations = kMany) {
  return {.series = std::move(series), .iterations = iterations, .computing = computing};
}

struct Row {
  std::string name;
  SimulatedProgram program;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

class Verdicts : public testing::TestWithParam<Row> {};

constexpr int kRuns = 200;

/// The interval is meant to hold the truth in 95 of 100 runs.
TEST_P(Verdicts, HoldTheRatioOfWholeRuns) {
  const SimulatedProgram& program = GetParam().program;
  const double truth = true_speedup(program, kMeanComputing);
  int held = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto verdict = judge(simulate_turns(program, seed));
    if (verdict && verdict->interval.low <= truth && truth <= verdict->interval.high) ++held;
  }
  EXPECT_GE(held, kRuns * 9 / 10) << "truth " << truth;
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Verdicts,
    testing::ValuesIn(std::vector<Row>{
        {"equal", {{{2e-4, 2e-4}}, kMany, normal}},
        {"faster", {{{4e-4, 1e-4}}, kMany, normal}},
        {"slower", {{{1e-4, 4e-4}}, kMany, normal}},
        {"few", {{{4e-4, 1e-4}}, kFew, normal}},
        {"few_equal", {{{2e-4, 2e-4}}, kFew, normal}},
        {"outliers", {{{4e-4, 1e-4}}, kMany, with_outliers}},
        {"growing", {{{4e-4, 1e-4}}, kMany, growing(kMany)}},
        {"rhythm_16", {{{4e-4, 1e-4}}, kMany, rhythmic(16)}},
        {"rhythm_32", {{{4e-4, 1e-4}}, kMany, rhythmic(32)}},
        {"drifting", {{{4e-4, 1e-4}}, kMany, drifting}},
        {"mostly_start", {{{4e-4, 1e-4}}, kMany, normal, 3}},
        {"set_up", {{{2e-4, 2e-4}}, kMany, normal, 0, 0.2}},
        {"two_series", {{{4e-4, 1e-4}, {6e-4, 1e-4}}, kMany, normal}},
        {"opposite_series", {{{4e-4, 1e-4}, {1e-4, 3e-4}}, kMany, normal}},
        {"five_series",
         {{{4e-4, 1e-4}, {3e-4, 1e-4}, {2e-4, 1e-4}, {4e-4, 1e-4}, {3e-4, 1e-4}}, kMany, normal}},
    }),
    [](const auto& row) { return row.param.name; });

/// Two series in step with each other: what one of them does is no noise for the other.
TEST(Verdict, AnotherSeriesIsTakenIntoAccount) {
  const auto program = program_of({{4e-4, 1e-4}, {9e-4, 1e-4}}, quiet);
  const auto verdict = judge(simulate_turns(program, 1));
  ASSERT_TRUE(verdict);
  const double truth = true_speedup(program, kMeanComputing);
  EXPECT_NEAR(verdict->speedup(), truth, 0.02 * truth);
  EXPECT_LT(verdict->interval.high - verdict->interval.low, (2 * kBetweenRuns + 0.05) * truth);
}

/// Of kRuns runs, those that tell a difference.
int told_of(SimulatedSeries costs, const Computing& computing) {
  const auto program = program_of({costs}, computing);
  int told = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed)
    if (judge(simulate_turns(program, seed))->is_significant()) ++told;
  return told;
}

TEST(Verdict, EqualArmsAreNotToldApart) {
  for (const Computing& computing : {Computing(normal), Computing(with_outliers), rhythmic(16)})
    EXPECT_LE(told_of({2e-4, 2e-4}, computing), kRuns / 10);
}

TEST(Verdict, ALargeDifferenceIsTold) {
  EXPECT_GE(told_of({4e-4, 1e-4}, normal), kRuns * 9 / 10);
  EXPECT_GE(told_of({1e-4, 4e-4}, normal), kRuns * 9 / 10);
}

/// A rank that is late makes the others wait: a call of Rondo's then takes hardly any time on the
/// late rank, and one of the library's much. The run takes the same time, and that is what counts.
TEST(Verdict, AShortCallOnOneRankIsNoSpeedup) {
  const auto program = program_of({{1e-3, 1e-3}}, normal);
  RunTimes run = simulate_turns(program, 3);
  for (std::size_t turn = 0; turn < run.series[0].turns.size(); ++turn) {
    const auto call = static_cast<std::int64_t>(turn) * kTurnCalls;
    if (arm_of(run.series[0].order, call) == Arm::rondo) run.series[0].turns[turn].inside /= 100;
  }
  const auto verdict = judge(run);
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->is_significant());
  EXPECT_LT(verdict->interval.high, 1.1);
}

/// However loud the machine: Rondo cannot save more than what the library's calls take.
TEST(Verdict, NoMoreIsSavedThanTheCallsTake) {
  const auto program = program_of({{2e-5, 1e-5}}, with_outliers);
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto verdict = judge(simulate_turns(program, seed));
    EXPECT_GE(verdict->interval.low, 0.98 * (1 - kBetweenRuns));
    EXPECT_LE(verdict->interval.high, 1.04 * (1 + kBetweenRuns));
  }
}

/// How the system places ranks that share cores differs from run to run, and is the same for all
/// turns of one.
TEST(Verdict, LessIsClaimedWhereRanksShareCores) {
  const auto program = program_of({{1.12e-3, 1e-3}}, quiet);
  RunTimes run = simulate_turns(program, 1);
  EXPECT_TRUE(judge(run)->is_significant());
  run.shares_cores = true;
  EXPECT_FALSE(judge(run)->is_significant());
}

TEST(Verdict, SmallDifferencesAreNotClaimed) {
  const auto program = program_of({{1.005e-3, 1e-3}}, quiet);
  EXPECT_FALSE(judge(simulate_turns(program, 1))->is_significant());
}

TEST(Verdict, AFewPairsTellNothing) {
  const auto run_of = [](std::size_t pairs) {
    const auto calls = static_cast<std::int64_t>(pairs) * kPairCalls;
    return simulate_turns(program_of({{4e-4, 1e-4}}, normal, calls), 1);
  };
  EXPECT_FALSE(judge(run_of(0)));
  EXPECT_FALSE(judge(run_of(kFewestPairs - 1)));
  EXPECT_TRUE(judge(run_of(kFewestPairs)));
  EXPECT_EQ(calls_left_out(run_of(kFewestPairs - 1)),
            static_cast<std::int64_t>(kFewestPairs - 1) * kPairCalls);
  EXPECT_EQ(calls_left_out(run_of(kFewestPairs)), 0);
}

TEST(Verdict, ALongPauseIsLeftOut) {
  const auto pausing = [](std::int64_t iteration, std::mt19937_64& random) {
    return normal(iteration, random) + (iteration == 100 ? 10.0 : 0.0);
  };
  const auto program = program_of({{4e-4, 1e-4}}, pausing);
  const RunTimes run = simulate_turns(program, 1);
  EXPECT_EQ(calls_left_out(run), kPairCalls);
  const auto verdict = judge(run);
  ASSERT_TRUE(verdict);
  const double saved = static_cast<double>(kMany) * 3e-4;
  EXPECT_NEAR(verdict->library_alone_seconds - verdict->rondo_alone_seconds, saved, 0.1 * saved);
}

TEST(Verdict, SeriesThatCannotBeToldApartTellNothing) {
  const auto program = program_of({{4e-4, 1e-4}, {4e-4, 1e-4}}, normal);
  RunTimes run = simulate_turns(program, 1);
  run.series[1] = run.series[0];
  EXPECT_FALSE(judge(run));
}

TEST(Verdict, TheSameTimesGiveTheSame) {
  const auto program = program_of({{4e-4, 1e-4}}, with_outliers);
  const RunTimes run = simulate_turns(program, 5);
  EXPECT_EQ(judge(run)->interval.low, judge(run)->interval.low);
  EXPECT_EQ(judge(run)->interval.high, judge(run)->interval.high);
}

}  // namespace
}  // namespace rondo::dropin::ab
