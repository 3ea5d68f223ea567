// Rondo and the MPI library take turns: whose turn it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "dropin/report/turns.hpp"

namespace rondo::dropin::ab {
namespace {

constexpr std::uint64_t kOrder = 7;

TEST(Turns, EveryPairHasOneTurnOfEachArm) {
  for (std::int64_t pair = 0; pair < 200; ++pair) {
    const std::int64_t first = pair * kPairCalls;
    EXPECT_NE(arm_of(kOrder, first), arm_of(kOrder, first + kTurnCalls));
    for (std::int64_t call = 0; call < kPairCalls; ++call)
      EXPECT_EQ(arm_of(kOrder, first + call),
                arm_of(kOrder, first + call / kTurnCalls * kTurnCalls));
  }
}

TEST(Turns, TwoPairsInARowHaveOppositeOrders) {
  for (std::int64_t pair = 0; pair < 200; pair += 2)
    EXPECT_NE(arm_of(kOrder, pair * kPairCalls), arm_of(kOrder, (pair + 1) * kPairCalls));
}

/// Which arm has the first turn of every other one of 128 pairs.
std::string drawn(std::uint64_t order) {
  std::string letters;
  for (std::int64_t pair = 0; pair < 128; pair += 2)
    letters += arm_of(order, pair * kPairCalls) == Arm::library ? 'l' : 'r';
  return letters;
}

TEST(Turns, SeriesThatShareARankHaveOrdersOfTheirOwn) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    for (std::int64_t key = 0; key < 10; ++key)
      for (const buffers::Form form :
           {buffers::Form::alltoall, buffers::Form::alltoallv, buffers::Form::alltoallw}) {
        const std::string order = drawn(order_of(seed, key, form));
        orders.insert(order);
        const auto library_first = std::ranges::count(order, 'l');
        EXPECT_GT(library_first, 10) << "seed " << seed << ", key " << key;
        EXPECT_LT(library_first, 54) << "seed " << seed << ", key " << key;
      }
  EXPECT_EQ(orders.size(), 150U);
}

TEST(Turns, TheLibrarysCallsAreCounted) {
  std::int64_t count = 0;
  for (std::int64_t call = 0; call < 100; ++call) {
    EXPECT_EQ(library_calls(kOrder, call), count);
    if (arm_of(kOrder, call) == Arm::library) ++count;
  }
}

}  // namespace
}  // namespace rondo::dropin::ab
