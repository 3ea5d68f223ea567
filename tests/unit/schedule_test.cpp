// Every schedule passes the checker, and its K and D are the closed forms'.
#include <gtest/gtest.h>

#include <algorithm>

#include "closed_form.hpp"
#include "model/work.hpp"
#include "schedule/check.hpp"
#include "schedule/schedule.hpp"
#include "seed.hpp"

namespace rondo::schedule {
namespace {

struct Expected {
  std::int64_t rounds;
  std::int64_t blocks;
  std::int64_t in_transit;
};

/// The checker, the folds and the closed forms agree.
void expect_right(const Schedule& schedule, const Expected& expected) {
  const Report report = check(schedule);
  ASSERT_EQ(report.violation, "");
  ASSERT_EQ(report.rounds, expected.rounds);
  ASSERT_EQ(report.blocks, expected.blocks);
  ASSERT_EQ(report.in_transit, expected.in_transit);
  ASSERT_EQ(model::rounds(schedule), expected.rounds);
  ASSERT_EQ(model::blocks(schedule), expected.blocks);
}

/// The most blocks with non-zero digits both below and above a border between two digits.
std::int64_t in_transit_of_bruck(std::int64_t ranks, std::int64_t radix) {
  std::int64_t most = 0;
  for (std::int64_t unit = radix; unit < ranks; unit *= radix) {
    const std::int64_t low_digits_zero = (ranks - 1) / unit;
    most = std::max(most, ranks - unit - low_digits_zero);
  }
  return most;
}

void expect_right_bruck(int ranks, int radix) {
  SCOPED_TRACE(testing::Message() << "P=" << ranks << " r=" << radix);
  expect_right(bruck(ranks, radix),
               {model::rounds_of_bruck(ranks, radix), model::blocks_of_bruck(ranks, radix),
                in_transit_of_bruck(ranks, radix)});
}

TEST(Bruck, EveryRadixOfUpTo300Ranks) {
  for (int ranks = 1; ranks <= 300 && !HasFatalFailure(); ++ranks)
    for (int radix = 2; radix <= std::max(ranks, 2) && !HasFatalFailure(); ++radix)
      expect_right_bruck(ranks, radix);
}

TEST(Bruck, RandomRanksAndRadices) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 300 && !HasFatalFailure(); ++i) {
    const int ranks = test::random_in(random, 1, 20000);
    expect_right_bruck(ranks, std::max(ranks >> test::random_in(random, 1, 14), 2));
  }
}

TEST(Bruck, RoundsCarryTheBlocksOfProposition4) {
  for (int ranks = 1; ranks <= 70; ++ranks)
    for (int radix = 2; radix <= ranks; ++radix) {
      const Schedule schedule = bruck(ranks, radix);
      for (int digit = 0; digit < schedule.phases(); ++digit) {
        int value = 0;
        for (const Round& round : schedule.phase(digit))
          ASSERT_EQ(round.blocks.size(), model::blocks_of_round(ranks, radix, digit, ++value))
              << "P=" << ranks << " r=" << radix << " x=" << digit << " z=" << value;
        ASSERT_EQ(model::blocks_of_round(ranks, radix, digit, value + 1), 0);
      }
    }
}

TEST(Bruck, RadixAboveRanksActsAsRanks) {
  for (int ranks : {1, 2, 3, 7, 64}) expect_right_bruck(ranks, ranks + 5);
}

TEST(Linear, EveryWindow) {
  for (int ranks = 1; ranks <= 100 && !HasFatalFailure(); ++ranks)
    for (int window : {1, 2, 3, 7, ranks - 1, ranks, 10 * ranks}) {
      SCOPED_TRACE(testing::Message() << "P=" << ranks << " window=" << window);
      const Schedule schedule = linear(ranks, window);
      const auto rounds = model::rounds_of_linear(ranks);
      expect_right(schedule, {rounds, rounds, 0});
      for (int phase = 0; phase < schedule.phases(); ++phase)
        ASSERT_LE(static_cast<int>(schedule.phase(phase).size()), std::max(window, 1));
    }
}

TEST(Pairwise, OneRoundAtATime) {
  for (int ranks = 1; ranks <= 130 && !HasFatalFailure(); ++ranks) {
    SCOPED_TRACE(testing::Message() << "P=" << ranks);
    const Schedule schedule = pairwise(ranks);
    const auto rounds = model::rounds_of_linear(ranks);
    expect_right(schedule, {rounds, rounds, 0});
    EXPECT_EQ(schedule.phases(), ranks - 1);
  }
}

TEST(Pairwise, PartnersArePairsForPowersOfTwo) {
  for (int ranks : {2, 4, 16, 64}) {
    const Schedule schedule = pairwise(ranks);
    for (const Round& round : schedule.rounds())
      for (int rank = 0; rank < ranks; ++rank)
        ASSERT_EQ(schedule.group().add(rank, round.hop),
                  schedule.group().subtract(rank, round.hop));
  }
}

/// Names (n, q) that have moved and not arrived once the digits of q below `intra_unit` and those
/// of n below `inter_unit` are done.
std::int64_t in_transit_at(int nodes, int per_node, int intra_unit, int inter_unit) {
  std::int64_t count = 0;
  for (int n = 0; n < nodes; ++n)
    for (int q = 0; q < per_node; ++q) {
      const bool moved = q % intra_unit != 0 || n % inter_unit != 0;
      const bool arrived = q < intra_unit && n < inter_unit;
      count += moved && !arrived ? 1 : 0;
    }
  return count;
}

std::int64_t in_transit_of_two_layer(int nodes, int per_node, int intra, int inter) {
  std::int64_t most = in_transit_at(nodes, per_node, per_node, 1);
  for (int unit = intra; unit < per_node; unit *= intra)
    most = std::max(most, in_transit_at(nodes, per_node, unit, 1));
  for (int unit = inter; unit < nodes; unit *= inter)
    most = std::max(most, in_transit_at(nodes, per_node, per_node, unit));
  return most;
}

TEST(TwoLayer, EveryShapeUpTo24Nodes) {
  for (int nodes = 1; nodes <= 24 && !HasFatalFailure(); ++nodes)
    for (int per_node = 1; per_node <= 24 && !HasFatalFailure(); ++per_node)
      for (int intra : {2, 3, 4, 5, 8, 24, 100})
        for (int inter : {2, 3, 4, 7, 12, 23, 100}) {
          SCOPED_TRACE(testing::Message() << "N=" << nodes << " Q=" << per_node
                                          << " intra=" << intra << " inter=" << inter);
          expect_right(two_layer(nodes, per_node, intra, inter),
                       {model::rounds_of_two_layer(nodes, per_node, {intra, inter}),
                        model::blocks_of_two_layer(nodes, per_node, {intra, inter}),
                        in_transit_of_two_layer(nodes, per_node, intra, inter)});
        }
}

TEST(TwoLayer, HopsStayInTheNodeThenInTheColumn) {
  const int nodes = 5;
  const int per_node = 6;
  const Schedule schedule = two_layer(nodes, per_node, 3, 2);
  const auto intra_rounds = static_cast<std::size_t>(model::rounds_of_bruck(per_node, 3));
  for (std::size_t i = 0; i < schedule.rounds().size(); ++i)
    for (int rank = 0; rank < nodes * per_node; ++rank) {
      const int to = schedule.group().add(rank, schedule.rounds()[i].hop);
      const bool same_node = to / per_node == rank / per_node;
      const bool same_place = to % per_node == rank % per_node;
      ASSERT_NE(same_node, same_place);
      ASSERT_EQ(same_node, i < intra_rounds);
    }
}

}  // namespace
}  // namespace rondo::schedule
