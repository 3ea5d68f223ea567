// Duels of two choices, reviews of one, and the account.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "select/account.hpp"
#include "select/duel.hpp"
#include "select/samples.hpp"
#include "select/watch.hpp"

namespace rondo::select {
namespace {

/// Pairs in which the incumbent takes 1000 and the challenger what is given, over and over. Returns how many pairs
/// there were before the verdict.
std::size_t pairs_until(Verdict verdict, const std::vector<std::int64_t>& challengers,
                        bool are_runs = false) {
  Duel duel;
  while (true) {
    std::vector<std::int64_t> times;
    const std::size_t pairs = duel.pairs_to_look();
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      times.push_back(1000);
      times.push_back(challengers[(duel.pairs() + pair) % challengers.size()]);
    }
    const Verdict now = duel.look(times, are_runs);
    if (now == Verdict::open) continue;
    EXPECT_EQ(now, verdict);
    return duel.pairs();
  }
}

TEST(Duel, ClearDifferencesNeedFewPairs) {
  EXPECT_EQ(pairs_until(Verdict::loses, {1600}), 2U);
  EXPECT_EQ(pairs_until(Verdict::loses, {1600, 1300}), 4U);
  EXPECT_EQ(pairs_until(Verdict::wins, {300}), 2U);
  EXPECT_EQ(pairs_until(Verdict::wins, {400}), 4U);
  EXPECT_EQ(pairs_until(Verdict::wins, {900}), 8U);
}

TEST(Duel, RunsNeedFewer) {
  EXPECT_EQ(pairs_until(Verdict::loses, {1300}, true), 2U);
  EXPECT_EQ(pairs_until(Verdict::loses, {1300, 1150}, true), 4U);
  EXPECT_EQ(pairs_until(Verdict::wins, {600}, true), 2U);
  EXPECT_EQ(pairs_until(Verdict::wins, {800}, true), 4U);
  EXPECT_EQ(pairs_until(Verdict::wins, {900}, true), 8U);
}

TEST(Duel, TheFirstPairsDoNotDelayIt) {
  EXPECT_EQ(pairs_until(Verdict::wins, {1000, 1000, 1000, 700, 400, 400, 400, 400}), 8U);
  EXPECT_EQ(pairs_until(Verdict::wins, {1000, 1000, 1000, 700, 800, 800, 800, 800}, true), 8U);
  EXPECT_EQ(pairs_until(Verdict::loses, {900, 900, 900, 900, 1300, 1300, 1300, 1300}), 8U);
}

TEST(Duel, TheIncumbentStaysUnlessTheChallengerIsFasterByThreePercent) {
  EXPECT_EQ(pairs_until(Verdict::loses, {1000}), 8U);
  EXPECT_EQ(pairs_until(Verdict::loses, {975}), 8U);
  EXPECT_EQ(pairs_until(Verdict::wins, {965}), 8U);
}

TEST(Duel, DisturbancesDelayIt) {
  EXPECT_EQ(pairs_until(Verdict::wins, {900, 900, 900, 900, 900, 900, 9000, 900}), 16U);
  EXPECT_EQ(pairs_until(Verdict::loses, {1600, 900, 1600, 1600}), 16U);
}

TEST(Duel, UndecidedTheIncumbentStays) {
  EXPECT_EQ(pairs_until(Verdict::loses, {900, 1100}), 128U);
}

TEST(Watch, OnlyTwoReviewsThatDeviateAlikeAreAChange) {
  Watch watch;
  const auto review = [&](std::int64_t usual, std::int64_t other, std::size_t others) {
    std::vector<std::int64_t> times(Watch::kReviewed, usual);
    std::fill_n(times.begin(), others, other);
    return watch.is_change(times, usual);
  };
  EXPECT_FALSE(review(1000, 1000, 0));
  EXPECT_EQ(watch.time(), 1000);
  EXPECT_FALSE(review(1300, 1300, 0));
  EXPECT_EQ(watch.spacing(kSame), 8U) << "the next review is soon";
  EXPECT_FALSE(review(1000, 1300, 5)) << "too few of them";
  EXPECT_FALSE(review(1300, 1000, 2));
  EXPECT_FALSE(review(700, 1000, 2)) << "to the other side";
  EXPECT_TRUE(review(700, 1000, 2));
  EXPECT_EQ(watch.time(), 700);
}

TEST(Watch, AgreementsTakeASmallShare) {
  Watch watch;
  EXPECT_EQ(watch.spacing(kSame), 8U) << "the first review is soon";
  watch.is_change(std::vector<std::int64_t>(Watch::kReviewed, 1000), 1000);
  EXPECT_EQ(watch.spacing(kSame / 10), 16U);
  EXPECT_EQ(watch.spacing(kSame), 32U);
  EXPECT_EQ(watch.spacing(5 * kSame), 256U);
  EXPECT_EQ(watch.spacing(kMostRatio), 1024U);
}

TEST(Account, AllowsMoreInTheFirstThousandCalls) {
  constexpr std::pair<std::uint64_t, std::int64_t> kAllowed[] = {
      {0, 6000}, {24, 6960}, {25, 7000}, {1000, 46000}, {1080, 47000}, {10'000, 158'500}};
  for (const auto& [calls, thousandths] : kAllowed) {
    Account account;
    EXPECT_TRUE(account.can_pay(thousandths, calls)) << calls << " calls";
    EXPECT_FALSE(account.can_pay(thousandths + 1, calls)) << calls << " calls";
    account.pay(thousandths);
    EXPECT_FALSE(account.can_pay(1, calls)) << calls << " calls";
  }
}

TEST(Account, SaysWhenItCanPay) {
  std::uint64_t after = 0;
  for (const std::int64_t spent : {0, 5999, 46'000})
    for (std::int64_t cost = -1000; cost < 60'000; cost += 7) {
      Account account;
      account.pay(spent);
      after = account.can_pay_after(cost);
      ASSERT_TRUE(account.can_pay(cost, after)) << cost << " after " << spent;
      ASSERT_TRUE(after == 0 || !account.can_pay(cost, after - 1)) << cost << " after " << spent;
    }
  EXPECT_EQ(after, 1000U + 60 * 80) << "of the last one";
}

TEST(Ratio, StaysWithinBounds) {
  EXPECT_EQ(ratio_of(kLongest, 1), kMostRatio);
  EXPECT_EQ(ratio_of(1, kLongest), 1);
  EXPECT_EQ(scaled(kLongest, kMostRatio), kLongest);
  EXPECT_EQ(scaled(12345, 2 * kSame), 24690);
}

TEST(Samples, KeepTheirPlacesWhateverTheOrder) {
  Samples samples;
  samples.begin(Samples::Kind::duel, 4, kSingleCalls, 0b10);
  for (int i = 0; i < 4; ++i) samples.record(samples.is_challengers_turn() ? 20 + i : 10 + i);
  EXPECT_TRUE(samples.are_complete());
  samples.set_agreement(5);
  const auto all = samples.all();
  EXPECT_EQ(std::vector<std::int64_t>(all.begin(), all.end()),
            (std::vector<std::int64_t>{10, 21, 13, 22, 5, 0, 0}));
  EXPECT_EQ(samples.incumbents(), 10);
  EXPECT_EQ(samples.challengers(), 21);
}

TEST(Samples, OfRunsTheCallsBeforeTheLastAreTimed) {
  Samples samples;
  samples.begin(Samples::Kind::duel, 2, kRuns, 0b1);
  std::vector<std::int64_t> timed;
  for (std::int64_t call = 0; !samples.are_complete(); ++call) {
    EXPECT_EQ(samples.is_challengers_turn(), call < 5);
    if (!samples.is_timed()) {
      samples.skip();
      continue;
    }
    samples.record(100 + call);
    timed.push_back(call);
  }
  EXPECT_EQ(timed, (std::vector<std::int64_t>{2, 3, 7, 8}));
  samples.clean();
  EXPECT_EQ(samples.challengers(), 102);
  EXPECT_EQ(samples.incumbents(), 107);
}

TEST(Samples, OfAFirstDuelTheIncumbentsCallsAreAmongOthersOfItsOwn) {
  Samples samples;
  samples.begin(Samples::Kind::duel, 4, kFirstCalls, 0b1);
  for (std::int64_t call = 0; !samples.are_complete(); ++call) {
    EXPECT_EQ(samples.is_challengers_turn(), call == 0 || call == 7) << call;
    EXPECT_EQ(samples.is_timed(), call == 0 || call == 2 || call == 5 || call == 7) << call;
    samples.is_timed() ? samples.record(10 + call) : samples.skip();
  }
  const auto times = samples.times();
  EXPECT_EQ(std::vector<std::int64_t>(times.begin(), times.end()),
            (std::vector<std::int64_t>{12, 10, 15, 17}));
  EXPECT_EQ(samples.calls(), 2U);
}

TEST(Samples, FailuresAreCountedAndClocksMayJump) {
  Samples samples;
  samples.begin(Samples::Kind::duel, 4);
  for (const std::int64_t time : {std::int64_t{-5}, Samples::kFailed, kLongest, std::int64_t{7}})
    samples.record(time);
  samples.set_agreement(-5);
  const auto all = samples.all();
  EXPECT_EQ(std::vector<std::int64_t>(all.begin(), all.end()),
            (std::vector<std::int64_t>{0, 0, std::int64_t{1} << 40, 7, 0, 0, 1}));
  EXPECT_TRUE(samples.have_failed());
  EXPECT_TRUE(samples.has_challenger_failed());
}

}  // namespace
}  // namespace rondo::select
