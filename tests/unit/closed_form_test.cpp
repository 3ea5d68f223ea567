// Closed forms: worked by hand, and against the definition.
#include "closed_form.hpp"

#include <gtest/gtest.h>

namespace rondo::model {
namespace {

struct Row {
  std::int64_t ranks;
  std::int64_t radix;
  std::int64_t rounds;
  std::int64_t blocks;
};

constexpr std::int64_t kMost = 2147483647;  // 2^31 - 1

const Row kRows[] = {
    {1, 2, 0, 0},
    {1, 100, 0, 0},
    {2, 2, 1, 1},
    {5, 2, 3, 5},              // {1 3} {2 3} {4}
    {8, 2, 3, 12},             // Propositions 1 and 2
    {9, 3, 4, 12},             // figure 2 of the TRA paper
    {11, 3, 5, 15},            // figure 3
    {16384, 128, 254, 32512},  // section III-B
    {16384, 2, 14, 114688},    // section III-B
    {16384, 16384, 16383, 16383},
    {16384, 99999, 16383, 16383},  // a radix above P acts as P
    {7, 7, 6, 6},
    {7, 6, 6, 6},                                        // {1} .. {5}, then {6}
    {kMost, 2, 31, 31 * ((std::int64_t{1} << 30) - 1)},  // the ones in 0 .. 2^31 - 2
    {kMost, kMost, kMost - 1, kMost - 1},
    {kMost, kMost - 1, kMost - 1, kMost - 1},
    {kMost, 46341, 2 * 46340, 2 * (kMost - 46341)},  // 46341 is the first above the square root
};

TEST(ClosedForm, RowsWorkedByHand) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(testing::Message() << "P=" << row.ranks << " r=" << row.radix);
    EXPECT_EQ(rounds_of_bruck(row.ranks, row.radix), row.rounds);
    EXPECT_EQ(blocks_of_bruck(row.ranks, row.radix), row.blocks);
  }
}

TEST(ClosedForm, PowersOfTheRadixAreTheFirstTwoPropositions) {
  for (std::int64_t radix : {2, 3, 5, 10, 100}) {
    std::int64_t unit = 1;  // r^(w - 1)
    for (std::int64_t digits = 1; unit * radix <= kMost; ++digits, unit *= radix) {
      EXPECT_EQ(rounds_of_bruck(unit * radix, radix), digits * (radix - 1));
      EXPECT_EQ(blocks_of_bruck(unit * radix, radix), digits * (radix - 1) * unit);
    }
  }
}

struct RoundRow {
  int digit;
  std::int64_t value;
  std::int64_t blocks;
};

/// P = 11 in radix 3, figure 3 of the TRA paper; last, rounds that do not exist.
TEST(ClosedForm, BlocksOfTheRoundsOfFigure3) {
  const RoundRow rows[] = {{0, 1, 4}, {0, 2, 3}, {1, 1, 3}, {1, 2, 3}, {2, 1, 2},
                           {2, 2, 0}, {0, 3, 0}, {3, 1, 0}, {60, 1, 0}};
  for (const RoundRow& row : rows)
    EXPECT_EQ(blocks_of_round(11, 3, row.digit, row.value), row.blocks)
        << "x=" << row.digit << " z=" << row.value;
}

TEST(ClosedForm, RoundsAddUpToTheTotals) {
  for (std::int64_t ranks : {1, 2, 3, 26, 27, 28, 100, 1000, 4097})
    for (std::int64_t radix : {2, 3, 7, 10, 64, 5000}) {
      std::int64_t rounds = 0;
      std::int64_t blocks = 0;
      for (int digit = 0; digit < 13; ++digit)
        for (std::int64_t value = 1; value < radix; ++value) {
          const std::int64_t sent = blocks_of_round(ranks, radix, digit, value);
          rounds += sent > 0 ? 1 : 0;
          blocks += sent;
        }
      EXPECT_EQ(rounds, rounds_of_bruck(ranks, radix)) << "P=" << ranks << " r=" << radix;
      EXPECT_EQ(blocks, blocks_of_bruck(ranks, radix)) << "P=" << ranks << " r=" << radix;
    }
}

TEST(ClosedForm, LargestRoundsDoNotOverflow) {
  EXPECT_EQ(blocks_of_round(kMost, kMost - 1, 1, 1), 1);
  EXPECT_EQ(blocks_of_round(kMost, kMost - 1, 2, 1), 0);
  EXPECT_EQ(blocks_of_round(kMost, 2, 30, 1), kMost - (std::int64_t{1} << 30));
}

TEST(ClosedForm, TwoLayers) {
  // Figure 5 of the TRA paper: 2 nodes of 4 ranks take the 3 rounds and 12 blocks of bruck(8, 2).
  EXPECT_EQ(rounds_of_two_layer(2, 4, {2, 2}), 3);
  EXPECT_EQ(blocks_of_two_layer(2, 4, {2, 2}), 12);
  // 5 nodes of 11 ranks: K = 5 + 3, D = 5 x 15 + 11 x 5.
  EXPECT_EQ(rounds_of_two_layer(5, 11, {3, 2}), 8);
  EXPECT_EQ(blocks_of_two_layer(5, 11, {3, 2}), 130);
  EXPECT_EQ(blocks_of_two_layer(1, 11, {3, 2}), 15);
  EXPECT_EQ(blocks_of_two_layer(11, 1, {2, 3}), 15);
  EXPECT_EQ(blocks_of_two_layer(1, 1, {2, 2}), 0);
}

TEST(ClosedForm, Linear) {
  EXPECT_EQ(rounds_of_linear(1), 0);
  EXPECT_EQ(rounds_of_linear(300), 299);
  EXPECT_EQ(rounds_of_linear(kMost), kMost - 1);
}

}  // namespace
}  // namespace rondo::model
