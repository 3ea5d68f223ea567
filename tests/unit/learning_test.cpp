// The rule by which `auto` learns, on programs with made-up times: what exploring costs, what it finds, and how soon.
#include "select/learning.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <tuple>

#include "learning_program.hpp"
#include "seed.hpp"

namespace rondo::select {
namespace {

constexpr Noise kQuiet{.spread = 0.05};
constexpr Noise kLoud{.spread = 0.3};
constexpr Noise kSliced{.spread = 0.05, .slices = 0.02};

Outcome run(const Times& times, const Noise& noise, std::uint64_t calls, std::uint64_t seed) {
  Learning learning(times.size(), seed);
  return Program(seed, noise, {{times}}).run(learning, calls);
}

TEST(Learning, TakesLessThanAKibibyte) {
  EXPECT_LE(sizeof(Learning), 1024U);
}

struct Fixed {
  const char* name;
  Times times;
};

void PrintTo(const Fixed& row, std::ostream* out) {
  *out << row.name;
}

const Fixed kFixed[] = {{"equal", {10, 10}},
                        {"1.01", {10, 10.1}},
                        {"1.1", {10, 11}},
                        {"1.5", {10, 15}},
                        {"3", {10, 30}},
                        {"20", {10, 200}},
                        {"1/1.01", {10.1, 10}},
                        {"1/1.1", {11, 10}},
                        {"1/1.5", {15, 10}},
                        {"1/3", {30, 10}},
                        {"1/20", {200, 10}},
                        {"7 of 3", {10, 30, 30, 30, 30, 30, 30, 30}},
                        {"7 of 20", {10, 200, 200, 200, 200, 200, 200, 200}},
                        {"many", {13, 12, 11, 10.5, 10, 15, 20, 30}}};

class FixedTimes : public ::testing::TestWithParam<std::tuple<Fixed, Noise>> {
 protected:
  static constexpr std::uint64_t kSeeds = 20;

  const Times& times() const { return std::get<0>(GetParam()).times; }
  const Noise& noise() const { return std::get<1>(GetParam()); }
  double fastest() const { return *std::ranges::min_element(times()); }

  /// Calls.
  double bound(std::uint64_t calls) const {
    const double ratio = *std::ranges::max_element(times()) / fastest();
    const double n = static_cast<double>(calls);
    return std::min(6 + n / 25, 33.5 + n / 80) + 3 * std::max(0.0, ratio - 2);
  }
};

TEST_P(FixedTimes, ExploringCostsNoMoreThanPromised) {
  const std::uint64_t first = test::seed();
  for (const std::uint64_t calls : {100U, 1000U, 10000U}) {
    double mean = 0;
    for (std::uint64_t seed = first; seed < first + kSeeds; ++seed) {
      const double cost = run(times(), noise(), calls, seed).exploring;
      mean += cost / kSeeds;
      // The rule pays by what it measures, and noise makes that less or more than it is.
      EXPECT_LE(cost, 2.5 * bound(calls)) << calls << " calls, seed " << seed;
    }
    // A measured ratio above 20 counts as 20, one below as it is.
    EXPECT_LE(mean, 1.1 * bound(calls)) << calls << " calls";
    if (calls == 100) {
      EXPECT_EQ(mean, 0);
    }
  }
}

/// What is lost until the first choice is left are its 100 calls, a few looks, and its calls in them. The worst program
/// does not count: two time slices at the wrong place hide the faster choice until it has rested.
TEST_P(FixedTimes, WhatIsClearlyFasterIsFound) {
  const double ratio = times()[0] / fastest();
  if (times().size() != 2 || (ratio > 1 && ratio < 1.5)) return;
  const std::uint64_t first = test::seed();
  for (const std::uint64_t calls : {1000U, 10000U}) {
    std::vector<double> lost;
    for (std::uint64_t seed = first; seed < first + kSeeds; ++seed)
      lost.push_back(run(times(), noise(), calls, seed).regret() * static_cast<double>(calls));
    std::ranges::sort(lost);
    EXPECT_LE(std::accumulate(lost.begin(), lost.end() - 1, 0.0) / (kSeeds - 1),
              bound(calls) + 200 * (ratio - 1))
        << calls << " calls";
  }
}

TEST(Learning, WhatWasDisturbedInItsFirstDuelGetsAnother) {
  Learning learning(2, test::seed());
  int disturbed = 2;
  while (learning.calls() < 8000) {
    const Learning::Turn turn = learning.next();
    if (turn.is_timed)
      learning.record(turn.choice == 0 ? 20000 : disturbed-- > 0 ? 4000000 : 10000);
    if (learning.is_trial_over()) learning.learn();
  }
  EXPECT_EQ(learning.best(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Learning, FixedTimes,
                         ::testing::Combine(::testing::ValuesIn(kFixed),
                                            ::testing::Values(Noise{}, kQuiet, kLoud, kSliced)));

/// After the three in which it runs for the first time. If it seems to be very slow, it takes long until they come.
TEST(Learning, WhatIsSlowerByHalfIsLeftAfterTwoCalls) {
  const std::uint64_t seed = test::seed();
  for (const double slower : {20.0, 30.0})
    EXPECT_EQ(run({10, slower}, kQuiet, 2000, seed).runs[1], 5U) << slower;
  EXPECT_EQ(run({10, 200}, kQuiet, 2000, seed).runs[1], 3U);
}

TEST(Learning, TheSetUpOfANewChallengerDoesNotCount) {
  Learning learning(2, test::seed());
  int cold = 3;
  while (learning.calls() < 2000) {
    const Learning::Turn turn = learning.next();
    if (turn.is_timed) learning.record(turn.choice == 0 ? 10000 : cold-- > 0 ? 50000 : 9000);
    if (learning.is_trial_over()) learning.learn();
  }
  EXPECT_EQ(learning.best(), 1U);
  EXPECT_EQ(learning.last_decision().pairs, 8U);
}

/// The first call of a choice after another one takes longer, as where its memory is not in the caches.
TEST(Learning, WhatIsSlowOnlyAfterAnotherOneIsFound) {
  const std::uint64_t first = test::seed();
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    Learning learning(2, seed);
    std::size_t before = 0;
    while (learning.calls() < 5000) {
      const Learning::Turn turn = learning.next();
      const std::int64_t time = turn.choice == 0 ? 10000 : 9000;
      const bool is_cold = turn.choice == 1 && before != 1;
      if (turn.is_timed) learning.record(is_cold ? time * 5 / 4 : time);
      before = turn.choice;
      if (learning.is_trial_over()) learning.learn();
    }
    EXPECT_EQ(learning.best(), 1U) << "seed " << seed;
  }
}

/// As for a plan that measures.
TEST(Learning, AfterManyCallsEverythingIsTriedAtOnce) {
  const Times times = {30, 20, 10, 25, 60, 100};
  Learning learning(times.size(), 1, {}, 16000);
  const Outcome outcome = Program(1, kQuiet, {{times}}).run(learning, 150);
  for (const std::uint64_t runs : outcome.runs) EXPECT_GE(runs, 2U);
  EXPECT_EQ(learning.best(), 2U);
}

TEST(Learning, TheChallengerIsKnownInAllCallsOfADuel) {
  Learning learning(2, 1, {}, 16000);
  std::vector<std::size_t> choices;
  while (!learning.is_trial_over()) {
    const Learning::Turn turn = learning.next();
    EXPECT_EQ(learning.challenger(), 1U) << choices.size();
    choices.push_back(turn.choice);
    if (turn.is_timed) learning.record(10);
  }
  EXPECT_EQ(std::ranges::count(choices, 1U), 3);
  EXPECT_EQ(choices.size(), 12U);
  learning.learn();
  EXPECT_EQ(learning.challenger(), learning.best());
}

TEST(Learning, ASmallDifferenceIsFoundInTime) {
  const std::uint64_t first = test::seed();
  int found = 0;
  for (std::uint64_t seed = first; seed < first + 100; ++seed)
    found += run({11, 10}, {.spread = 0.15}, 100000, seed).changes.empty() ? 0 : 1;
  EXPECT_GE(found, 90);
}

TEST(Learning, WhatHasNeverRunDoesNotWaitForWhatIsAsFast) {
  const std::uint64_t first = test::seed();
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    const Outcome outcome = run({10, 10, 2}, {.spread = 0.05, .agreement_us = 60}, 2000, seed);
    ASSERT_FALSE(outcome.changes.empty()) << "seed " << seed;
    EXPECT_LE(outcome.changes.front(), 1200U) << "seed " << seed;
  }
}

/// Calls until the second choice runs. Its first three make memory, and any call after another choice takes twice as long.
/// An agreement costs 8 calls.
std::uint64_t calls_to_leave_first(std::uint64_t seed) {
  Learning learning(3, seed);
  int cold[] = {0, 3, 3};
  std::size_t last = 0;
  while (learning.best() != 1 && learning.calls() < 10'000) {
    const Learning::Turn turn = learning.next();
    constexpr std::int64_t kTimes[] = {2000, 1000, 2600};
    const int factor = cold[turn.choice]-- > 0 ? 6 : turn.choice != last ? 2 : 1;
    last = turn.choice;
    if (turn.is_timed) learning.record(factor * kTimes[turn.choice]);
    if (!learning.is_trial_over()) continue;
    learning.record_agreement(16'000);
    learning.learn();
  }
  return learning.calls();
}

TEST(Learning, DuelsComeBeforeReviewsInTheFirstCalls) {
  constexpr std::uint64_t kSeeds = 16;
  const std::uint64_t first = test::seed();
  std::uint64_t most = 0;
  for (std::uint64_t seed = first; seed < first + kSeeds; ++seed)
    most = std::max(most, calls_to_leave_first(seed));
  EXPECT_LE(most, 1600U) << "with reviews first it takes up to 2,872";
}

/// Turns are what it costs to call the rule.
TEST(Learning, TurnsAreLongWhileNothingCanBePaid) {
  Learning learning(Learning::kMostChoices, test::seed());
  const auto turns_up_to = [&](std::uint64_t calls) {
    int turns = 0;
    for (; learning.calls() < calls; ++turns) {
      const Learning::Turn turn = learning.next();
      if (turn.is_timed) learning.record(turn.choice == 0 ? 10'000 : 200'000);
      if (!learning.is_trial_over()) continue;
      learning.record_agreement(80'000);
      learning.learn();
    }
    return turns;
  };
  turns_up_to(20'000);
  EXPECT_LE(turns_up_to(40'000), 200);
}

TEST(Learning, OneChoiceIsNotTimed) {
  Learning learning(1, test::seed());
  while (learning.calls() < 10000) EXPECT_FALSE(learning.next().is_timed);
}

TEST(Learning, NoiseDoesNotMoveIt) {
  const std::uint64_t first = test::seed();
  int moved = 0;
  for (std::uint64_t seed = first; seed < first + 100; ++seed)
    moved += run(Times(8, 10), kSliced, 100000, seed).changes.size() > 1 ? 1 : 0;
  EXPECT_LE(moved, 5);
}

/// But for the few programs that lose their core in several of the calls that are compared.
TEST(Learning, ASlowFirstChoiceIsLeftAtOnceIfAKnownOneIsFaster) {
  const std::uint64_t first = test::seed();
  const Times times{30, 10, 12};
  int left = 0;
  for (std::uint64_t seed = first; seed < first + 100; ++seed) {
    Learning learning(3, seed, std::vector<std::int64_t>{0, 10000, 0});
    const Outcome outcome = Program(seed, kSliced, {{times}}).run(learning, 100);
    if (learning.best() == 1 && learning.last_decision().reason == Learning::Reason::known &&
        outcome.changes.front() == 9 && outcome.runs[0] <= 15 && learning.saved() > 0)
      ++left;
  }
  EXPECT_GE(left, 90);
}

TEST(Learning, SoItIsAfterManyForwardedCalls) {
  const std::uint64_t seed = test::seed();
  Learning learning(3, seed, std::vector<std::int64_t>{0, 10000, 0}, 1000);
  Program(seed, kQuiet, {{{30, 10, 12}}}).run(learning, 100);
  EXPECT_EQ(learning.best(), 1U);
}

TEST(Learning, AWrongKnownTimeIsCorrected) {
  const std::uint64_t first = test::seed();
  const Times times{30, 60};
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    Learning learning(2, seed, std::vector<std::int64_t>{0, 10000});
    Program(seed, kQuiet, {{times}}).run(learning, 300);
    EXPECT_EQ(learning.best(), 0U) << "seed " << seed;
  }
}

/// The first choice is not known to have become slower with the incumbent.
TEST(Learning, WhatIsSavedIsWhatWasMeasured) {
  Learning learning(2, test::seed());
  const Period before{{20'000, 100}, 1000};
  const Outcome outcome =
      Program(test::seed(), kQuiet, {before, {{20'000, 10'000}}}).run(learning, 2000);
  const double most = 1000 * static_cast<double>(outcome.runs[1]) * (20'000 - 100);
  EXPECT_GT(learning.saved(), most / 2);
  EXPECT_LE(learning.saved(), most);
}

struct Changing {
  const char* name;
  std::uint64_t calls;
  std::uint64_t period;
  Times odd;
  Times even;
  double regret;           ///< at most, against the best of each period
  double regret_of_fixed;  ///< at most
};

void PrintTo(const Changing& row, std::ostream* out) {
  *out << row.name;
}

const Changing kChanging[] = {
    {"swapped in the middle", 10000, 5000, {10, 15}, {15, 10}, 0.05, -0.1},
    {"three times as slow", 10000, 5000, {10, 30}, {30, 10}, 0.15, -0.3},
    {"there and back", 30000, 10000, {10, 15}, {15, 10}, 0.05, -0.1},
    {"cores share a cache or not", 100000, 2000, {10, 20}, {20, 10}, 0.2, -0.1},
    {"all become slower", 100000, 2000, {10, 15}, {15, 18}, 0.01, 0.01},
    {"in long periods", 100000, 20000, {10, 13}, {17, 13}, 0.1, 0},
    {"another becomes faster", 100000, 50000, {10, 12}, {10, 6}, 0.1, 0},
};

class ChangingTimes : public ::testing::TestWithParam<std::tuple<Changing, Noise>> {};

TEST_P(ChangingTimes, AreFollowed) {
  const auto& [changing, noise] = GetParam();
  const std::uint64_t first = test::seed();
  Outcome mean;
  double regret = 0;
  double regret_of_fixed = 0;
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    Learning learning(2, seed);
    const Outcome outcome =
        Program(seed, noise, {{changing.odd, changing.period}, {changing.even, changing.period}})
            .run(learning, changing.calls);
    regret += outcome.regret() / 20;
    regret_of_fixed += outcome.regret_of_fixed() / 20;
  }
  EXPECT_LE(regret, changing.regret) << changing.name;
  EXPECT_LE(regret_of_fixed, changing.regret_of_fixed) << changing.name;
}

INSTANTIATE_TEST_SUITE_P(Learning, ChangingTimes,
                         ::testing::Combine(::testing::ValuesIn(kChanging),
                                            ::testing::Values(Noise{}, kQuiet, kSliced)));

TEST(Learning, AChangeIsNoticedWithinThePromisedCalls) {
  const std::uint64_t first = test::seed();
  const Times before{10, 15};
  const Times after{15, 10};
  for (std::uint64_t seed = first; seed < first + 100; ++seed) {
    Learning learning(2, seed);
    const std::uint64_t change = 3000 + seed % 1000;
    const Outcome outcome =
        Program(seed, {.spread = 0.05, .agreement_us = 4}, {{before, change}, {after}})
            .run(learning, 10000);
    ASSERT_EQ(outcome.changes.size(), 1U) << "seed " << seed;
    // 320 calls to notice, and a duel of 8 or 16 pairs.
    EXPECT_LE(outcome.changes[0], change + 320 + 32) << "seed " << seed;
  }
}

TEST(Learning, ASlowChangeIsNoticed) {
  const std::uint64_t seed = test::seed();
  Learning learning(2, seed);
  std::vector<Period> periods;
  for (int i = 0; i < 1000; ++i) periods.push_back({{10 + 0.01 * i, 11}, 100});
  const Outcome outcome = Program(seed, kQuiet, periods).run(learning, 100000);
  ASSERT_FALSE(outcome.changes.empty());
  EXPECT_LE(outcome.changes[0], 30000U);
  EXPECT_EQ(learning.best(), 1U);
}

/// Ranks with times of their own, which they add up.
TEST(Learning, RanksWithTheSameSumsDecideTheSame) {
  const std::uint64_t seed = test::seed();
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Learning> ranks(5, Learning(4, seed));
  const Times times{14, 12, 10, 30};
  std::int64_t skew = 0;
  for (int i = 0; i < 5000; ++i) {
    const Learning::Turn turn = ranks[0].next();
    for (std::size_t r = 1; r < ranks.size(); ++r) {
      const Learning::Turn other = ranks[r].next();
      ASSERT_EQ(std::tie(turn.choice, turn.calls, turn.is_timed),
                std::tie(other.choice, other.calls, other.is_timed));
    }
    if (turn.is_timed)
      for (Learning& rank : ranks)
        rank.record(
            static_cast<std::int64_t>(1000 * times[turn.choice] * std::exp(0.1 * normal(random))) +
            (skew += 7) % 3000);
    if (!ranks[0].is_trial_over()) continue;
    std::vector<std::int64_t> sums(ranks[0].times().size());
    for (Learning& rank : ranks)
      std::ranges::transform(sums, rank.times(), sums.begin(), std::plus<>());
    for (Learning& rank : ranks) {
      std::ranges::copy(sums, rank.times().begin());
      rank.record_agreement(static_cast<std::int64_t>(random() % 20000));
      rank.learn();
    }
  }
  EXPECT_EQ(ranks[0].best(), 2U);
}

std::int64_t draw_sum(std::mt19937_64& random) {
  const int bits = test::random_in(random, 0, 63);
  const auto magnitude = static_cast<std::int64_t>(random() >> 1 >> bits);
  return random() % 8 == 0 ? -magnitude : magnitude;
}

TEST(Learning, AnySumsLeaveTurnsValidAndRanksEqual) {
  std::mt19937_64 random(test::seed());
  for (int program = 0; program < 200; ++program) {
    const auto count = static_cast<std::size_t>(test::random_in(random, 1, 8));
    std::vector<std::int64_t> known(random() % 2 == 0 ? count : 0);
    for (std::int64_t& time : known) time = random() % 2 == 0 ? draw_sum(random) : 0;
    Learning one(count, 7, known);
    Learning other = one;
    for (int i = 0; i < 3000; ++i) {
      const Learning::Turn turn = one.next();
      const Learning::Turn same = other.next();
      ASSERT_EQ(std::tie(turn.choice, turn.calls, turn.is_timed),
                std::tie(same.choice, same.calls, same.is_timed));
      ASSERT_LT(turn.choice, count);
      ASSERT_GE(turn.calls, 1U);
      ASSERT_LE(turn.calls, 1024U);
      ASSERT_TRUE(!turn.is_timed || turn.calls == 1);
      if (turn.is_timed) {
        one.record(random() % 50 == 0 ? Learning::kFailed : draw_sum(random));
        other.record(draw_sum(random));
      }
      ASSERT_EQ(one.is_trial_over(), other.is_trial_over());
      if (!one.is_trial_over() || random() % 3 == 0) continue;
      const auto times = one.times();
      const bool has_failures = random() % 4 == 0;
      for (std::size_t t = 0; t < times.size(); ++t)
        times[t] = t + 2 < times.size() || has_failures ? draw_sum(random) : 0;
      std::ranges::copy(times, other.times().begin());
      one.record_agreement(draw_sum(random));
      other.record_agreement(draw_sum(random));
      one.learn();
      other.learn();
      ASSERT_EQ(one.best(), other.best());
      ASSERT_EQ(one.account().spent(), other.account().spent());
      ASSERT_EQ(one.saved(), other.saved());
    }
  }
}

TEST(Learning, AChallengerThatFailsDoesNotWin) {
  Learning learning(2, test::seed());
  std::uint64_t failed = 0;
  while (learning.calls() < 20000) {
    const Learning::Turn turn = learning.next();
    failed += turn.choice == 1 ? turn.calls : 0;
    if (turn.is_timed) learning.record(turn.choice == 1 ? Learning::kFailed : 10000);
    if (learning.is_trial_over()) learning.learn();
  }
  EXPECT_EQ(learning.best(), 0U);
  EXPECT_EQ(failed, 6U) << "three pairs, and three more after its rest";
}

/// As many calls as it takes calls, once its time is known to all ranks.
TEST(Learning, AnAgreementIsPartOfWhatIsSpent) {
  constexpr std::int64_t kCalls = 5;
  Learning learning(2, test::seed());
  int trials = 0;
  while (learning.calls() < 2000) {
    const Learning::Turn turn = learning.next();
    if (turn.is_timed) learning.record(10'000);
    if (!learning.is_trial_over()) continue;
    learning.record_agreement(kCalls * 10'000);
    learning.learn();
    ++trials;
    const std::int64_t counted = std::min(trials, 2) + kCalls * std::max(trials - 2, 0);
    EXPECT_EQ(learning.account().spent(), counted * Account::kCall) << trials;
  }
  EXPECT_GE(trials, 3);
}

/// A time that the call did not take does not look like a change.
TEST(Learning, CallsThatFailAreNotReviewed) {
  Learning learning(2, test::seed());
  std::uint64_t tried = 0;
  while (learning.calls() < 4000) {
    const bool fails = learning.calls() > 1000;
    const Learning::Turn turn = learning.next();
    if (fails && turn.choice == 1) tried += turn.calls;
    if (turn.is_timed)
      learning.record(turn.choice == 1 ? 30'000 : fails ? Learning::kFailed : 10'000);
    if (learning.is_trial_over()) learning.learn();
  }
  EXPECT_EQ(tried, 0U) << "the challenger rests until call 4,200";
}

TEST(Learning, TheLoserRestsTwiceAsLongEachTime) {
  Learning learning(2, test::seed());
  std::vector<std::uint64_t> rests;
  std::uint64_t last = 0;
  while (learning.calls() < 100'000) {
    const Learning::Turn turn = learning.next();
    if (turn.choice == 1) {
      if (learning.calls() > last + 2000) rests.push_back(learning.calls() - last);
      last = learning.calls();
    }
    if (turn.is_timed) learning.record(turn.choice == 1 ? 13'000 : 10'000);
    if (learning.is_trial_over()) learning.learn();
  }
  ASSERT_GE(rests.size(), 4U);
  for (std::size_t i = 0; i < rests.size(); ++i) EXPECT_GE(rests[i], 4000U << i) << "rest " << i;
}

/// The incumbent is disturbed in the pair that says what the challenger costs at most.
TEST(Learning, WhatIsSlowIsNotTriedAgainBecauseTheIncumbentWasDisturbed) {
  Learning learning(2, test::seed());
  std::uint64_t tried = 0;
  int incumbents = 0;
  while (learning.calls() < 4000) {
    const Learning::Turn turn = learning.next();
    if (turn.choice == 1) tried += turn.calls;
    const bool is_disturbed = turn.choice == 0 && turn.is_timed && ++incumbents == 2;
    if (turn.is_timed)
      learning.record(turn.choice == 1 ? 200'000 : is_disturbed ? 1'000'000 : 10'000);
    if (learning.is_trial_over()) learning.learn();
  }
  EXPECT_EQ(tried, 3U) << "two more cost 38 calls of the incumbent, which are there after 5,000";
}

/// Against the first choice, whatever has replaced it meanwhile.
TEST(Learning, WhatEachIncumbentSavesIsAdded) {
  constexpr std::int64_t kTimes[] = {20'000, 16'000, 12'000};
  Learning learning(std::size(kTimes), test::seed());
  int changes = 0;
  double saved = 0;
  while (learning.calls() < 5000) {
    const std::size_t incumbent = learning.best();
    const Learning::Turn turn = learning.next();
    if (turn.choice == incumbent)
      saved += static_cast<double>(turn.calls) * static_cast<double>(kTimes[0] - kTimes[incumbent]);
    if (turn.is_timed) learning.record(kTimes[turn.choice]);
    if (!learning.is_trial_over()) continue;
    learning.learn();
    changes += learning.best() != incumbent ? 1 : 0;
  }
  EXPECT_EQ(changes, 2);
  EXPECT_DOUBLE_EQ(learning.saved(), saved);
}

TEST(Learning, TimesMayBeCombinedLater) {
  Learning learning(2, test::seed());
  while (learning.calls() < 1000) {
    const Learning::Turn turn = learning.next();
    if (turn.is_timed) learning.record(turn.choice == 1 ? 10000 : 20000);
    if (!learning.is_trial_over()) continue;
    for (int i = 0; i < 5; ++i) {
      const Learning::Turn meanwhile = learning.next();
      EXPECT_EQ(meanwhile.choice, learning.best());
      EXPECT_EQ(meanwhile.calls, 1U);
      EXPECT_FALSE(meanwhile.is_timed);
    }
    learning.learn();
  }
  EXPECT_EQ(learning.best(), 1U);
}

}  // namespace
}  // namespace rondo::select
