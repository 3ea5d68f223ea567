// Rondo and the MPI library in turns: whose turn it is, and what the costs say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "interpose/ab/pairs.hpp"
#include "interpose/ab/turns.hpp"

namespace rondo::interpose::ab {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(Turns, EveryPairHasOneBlockOfEachArm) {
  for (std::int64_t pair = 0; pair < 200; ++pair) {
    const std::int64_t first = pair * kPairCalls;
    EXPECT_NE(arm_of(kSeed, first), arm_of(kSeed, first + kBlockCalls));
    for (std::int64_t call = 0; call < kPairCalls; ++call)
      EXPECT_EQ(arm_of(kSeed, first + call),
                arm_of(kSeed, first + call / kBlockCalls * kBlockCalls));
  }
}

/// Which arm has the first block of each of 64 pairs.
std::string order(std::uint64_t seed) {
  std::string letters;
  for (std::int64_t pair = 0; pair < 64; ++pair)
    letters += arm_of(seed, pair * kPairCalls) == Arm::library ? 'l' : 'r';
  return letters;
}

TEST(Turns, TheOrderComesFromTheSeed) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    orders.insert(order(seed));
    const auto library_first = std::ranges::count(order(seed), 'l');
    EXPECT_GT(library_first, 10) << "seed " << seed;
    EXPECT_LT(library_first, 54) << "seed " << seed;
  }
  EXPECT_EQ(orders.size(), 50U);
  EXPECT_EQ(order(kSeed), order(kSeed));
}

TEST(Turns, TheLibrarysCallsAreCounted) {
  std::int64_t count = 0;
  for (std::int64_t call = 0; call < 100; ++call) {
    EXPECT_EQ(library_calls(kSeed, call), count);
    if (arm_of(kSeed, call) == Arm::library) ++count;
  }
}

/// The costs of that many calls: so much for the library's, so much for Rondo's.
std::vector<float> costs(std::int64_t calls, float library, float rondo) {
  std::vector<float> seconds;
  for (std::int64_t call = 0; call < calls; ++call)
    seconds.push_back(arm_of(kSeed, call) == Arm::library ? library : rondo);
  return seconds;
}

TEST(Pairs, AreMadeOfWholeTurns) {
  EXPECT_TRUE(pair_up(costs(15, 2, 1), kSeed).empty());
  const auto pairs = pair_up(costs(47, 2, 1), kSeed);
  ASSERT_EQ(pairs.size(), 2U);
  for (const Pair& pair : pairs) {
    EXPECT_EQ(pair.library_seconds, 16);
    EXPECT_EQ(pair.rondo_seconds, 8);
  }
}

TEST(Pairs, ACallWithoutACostCostsItsPair) {
  std::vector<float> seconds = costs(48, 3, 1);
  seconds[20] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(pair_up(seconds, kSeed).size(), 2U);
}

TEST(Pairs, FewHaveNoInterval) {
  const std::vector<Pair> pairs(kFewestPairs - 1, Pair{3, 2});
  const Comparison comparison = compare(pairs);
  EXPECT_DOUBLE_EQ(comparison.sum.speedup(), 1.5);
  EXPECT_FALSE(comparison.interval);
}

TEST(Pairs, EqualOnesLeaveNoDoubt) {
  const std::vector<Pair> pairs(kFewestPairs, Pair{3, 2});
  const auto interval = compare(pairs).interval;
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 1.5);
  EXPECT_DOUBLE_EQ(interval->high, 1.5);
}

/// Half of the pairs cost the library 1 second, half of them 3; Rondo always 1. The mean of n draws
/// has the standard deviation 1 / sqrt(n), and 95 % of a normal distribution lie within 1.96 of it.
void expect_interval_of_coins(std::size_t pairs, double tolerance) {
  std::vector<Pair> coins;
  for (std::size_t i = 0; i < pairs; ++i) coins.push_back({i % 2 == 0 ? 1.0 : 3.0, 1});
  const auto [sum, interval] = compare(coins);
  EXPECT_DOUBLE_EQ(sum.speedup(), 2);
  ASSERT_TRUE(interval);
  const double half = 1.96 / std::sqrt(static_cast<double>(pairs));
  EXPECT_NEAR(interval->low, 2 - half, tolerance * half);
  EXPECT_NEAR(interval->high, 2 + half, tolerance * half);
}

TEST(Pairs, TheIntervalIsThatOfTheirMean) {
  expect_interval_of_coins(100, 0.15);
  expect_interval_of_coins(4000, 0.15);
}

TEST(Pairs, ManyAreDrawnTogether) {
  // Neighbours differ, so a group of two has no spread, and the last pair is in no group.
  std::vector<Pair> coins;
  for (int i = 0; i < 4097; ++i) coins.push_back({i % 2 == 0 ? 1.0 : 3.0, 1});
  const auto interval = compare(coins).interval;
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 2);
  EXPECT_DOUBLE_EQ(interval->high, 2);
}

TEST(Pairs, LongPairsWeighMore) {
  std::vector<Pair> pairs(10, Pair{1, 2});
  pairs.push_back({100, 50});
  EXPECT_DOUBLE_EQ(compare(pairs).sum.speedup(), 110.0 / 70);
}

}  // namespace
}  // namespace rondo::interpose::ab
