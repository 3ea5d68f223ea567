// Where the fastest algorithm changes, and the reasons for it.
#include "model/contest.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "prices.hpp"

namespace rondo::model {
namespace {

using choice::Choice;

/// A choice that carries a number.
Choice number(std::int64_t value) {
  return {.algorithm = registry::find(kAlltoall, "mpi"), .values = {value}};
}

TEST(Changes, AreFoundToTheByte) {
  const auto steps = [](std::int64_t bytes) {
    return number(bytes < 3 ? 0 : bytes < 1000 ? 1 : bytes < 1001 ? 2 : 3);
  };
  const auto found = changes({1, 1 << 20}, steps);
  ASSERT_EQ(found.size(), 3u);
  const std::int64_t expected[] = {3, 1000, 1001};
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].block_bytes, expected[i]);
    EXPECT_EQ(found[i].before, number(static_cast<std::int64_t>(i)));
    EXPECT_EQ(found[i].after, number(static_cast<std::int64_t>(i) + 1));
  }
}

TEST(Changes, StayInsideTheRange) {
  const auto step_at = [](std::int64_t change) {
    return [change](std::int64_t bytes) { return number(bytes < change ? 0 : 1); };
  };
  EXPECT_EQ(changes({0, 100}, step_at(100)).size(), 1u);
  EXPECT_EQ(changes({0, 100}, step_at(1)).size(), 1u);
  EXPECT_EQ(changes({0, 99}, step_at(100)).size(), 0u);
  EXPECT_EQ(changes({100, 200}, step_at(100)).size(), 0u);
  EXPECT_EQ(changes({100, 100}, step_at(100)).size(), 0u);
}

/// K alpha + D S beta against (P - 1) (alpha + S beta): equal where S = (P - 1 - K) alpha / ((D - P
/// + 1) beta). P = 16: K = 4, D = 32.
TEST(Crossover, OfBruckAndSpreadOutIsWhereTheLinesMeet) {
  const auto layout = own_nodes(16);
  const Choice choices[] = {chosen(kAlltoall, "spread_out", layout),
                            chosen(kAlltoall, "zero_rotation_bruck", layout)};
  for (const double beta : {1e-9, 3.7e-10}) {
    const Contest contest{layout, Distribution::constant, messages_only(1e-6, beta)};
    const auto found = crossovers(choices, contest, {1, 1 << 20});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(static_cast<double>(found[0].block_bytes), std::ceil(11 * 1e-6 / (17 * beta)));
    EXPECT_EQ(found[0].before, choices[1]);
    EXPECT_EQ(found[0].after, choices[0]);
  }
}

/// Hockney's model cannot tell these algorithms apart at any length.
TEST(Crossover, EqualsDoNotTakeTurns) {
  const choice::Layout layout{64, 4, 16};
  const Choice choices[] = {chosen(kAlltoall, "mpi", layout), chosen(kAlltoall, "pairwise", layout),
                            chosen(kAlltoall, "spread_out", layout)};
  const Contest contest{layout, Distribution::constant, hockney(typical_cluster())};
  EXPECT_TRUE(crossovers(choices, contest, {1, 1 << 20}).empty());
  EXPECT_EQ(ranking(choices, contest, 100).front().choice, choices[0]);
}

/// Each algorithm is the fastest from its crossover on, and crossovers are in order.
TEST(Crossover, OfAllRowsAreTheFirstOfTheirRankings) {
  for (const choice::Layout& layout :
       {own_nodes(300), choice::Layout{64, 4, 16}, choice::Layout{4096, 4, 1024}}) {
    const auto choices = all_choices(kAlltoallv, layout);
    const Contest contest{layout, Distribution::uniform, loggp(typical_cluster())};
    const auto found = crossovers(choices, contest, {1, 1 << 20});
    ASSERT_FALSE(found.empty());
    Choice fastest = ranking(choices, contest, 1).front().choice;
    for (const Change& change : found) {
      EXPECT_EQ(change.before, fastest);
      EXPECT_EQ(ranking(choices, contest, change.block_bytes - 1).front().choice, fastest);
      fastest = change.after;
      EXPECT_EQ(ranking(choices, contest, change.block_bytes).front().choice, fastest);
      EXPECT_NE(why_faster(contest.predict(change.after, change.block_bytes),
                           contest.predict(change.before, change.block_bytes)),
                "equally fast");
    }
    EXPECT_EQ(ranking(choices, contest, 1 << 20).front().choice, fastest);
  }
}

/// Through the memory of a node with pipes for its blocks, and in few messages between nodes.
TEST(Crossover, NodeAwareHasNoneOnManyNodesOfManyRanks) {
  const choice::Layout layout{4096, 64, 64};
  const auto choices = all_choices(kAlltoallv, layout);
  const Contest contest{layout, Distribution::uniform, loggp(typical_cluster())};
  EXPECT_TRUE(crossovers(choices, contest, {1, 1 << 20}).empty());
  EXPECT_EQ(ranking(choices, contest, 1 << 20).front().choice.algorithm->name, "node_aware");
}

TEST(Ranking, IsSorted) {
  const auto layout = own_nodes(300);
  const auto choices = all_choices(kAlltoallv, layout);
  const Contest contest{layout, Distribution::uniform, hockney(typical_cluster())};
  const auto ranked = ranking(choices, contest, 400);
  ASSERT_EQ(ranked.size(), choices.size());
  for (std::size_t i = 1; i < ranked.size(); ++i)
    EXPECT_LE(ranked[i - 1].cost.total(), ranked[i].cost.total());
}

struct ReasonRow {
  registry::Collective collective;
  const char* better;
  const char* other;
  double block_bytes;
  const char* reason;
};

TEST(Reason, NamesThePartThatSavesMost) {
  const ReasonRow rows[] = {
      {kAlltoall, "basic_bruck", "spread_out", 8, "9 messages instead of 299"},
      {kAlltoall, "spread_out", "basic_bruck", 1e5, "100 kB copied instead of 296 MB"},
      {kAlltoall, "spread_out", "pairwise", 8, "1 wait for messages instead of 299"},
      {kAlltoall, "modified_bruck", "basic_bruck", 8, "21.3 kB copied instead of 23.7 kB"},
      {kAlltoallv, "spread_out", "padded_alltoall", 1,
       "no allreduces of the largest block instead of 1"},
      {kAlltoallv, "fused_bruck", "fused_bruck", 8, "equally fast"},
  };
  const auto layout = own_nodes(300);
  for (const ReasonRow& row : rows) {
    SCOPED_TRACE(row.reason);
    const auto prediction = [&](const char* name) {
      return predict(chosen(row.collective, name, layout), layout, {row.block_bytes},
                     loggp(typical_cluster()));
    };
    EXPECT_EQ(why_faster(prediction(row.better), prediction(row.other)), row.reason);
  }
}

TEST(Reason, SizesHaveThreeDigits) {
  const auto layout = own_nodes(2);
  const auto sent = [&](double bytes) {
    Prediction better{.choice = {}, .work = {}, .cost = {}};
    Prediction other = better;
    other.work.between.bytes = bytes;
    other.cost = price(other.work, layout, messages_only(0, 1));
    return why_faster(better, other);
  };
  EXPECT_EQ(sent(1), "no bytes sent instead of 1 bytes");
  EXPECT_EQ(sent(999), "no bytes sent instead of 999 bytes");
  EXPECT_EQ(sent(999.6), "no bytes sent instead of 1 kB");
  EXPECT_EQ(sent(12345), "no bytes sent instead of 12.3 kB");
  EXPECT_EQ(sent(999600), "no bytes sent instead of 1 MB");
  EXPECT_EQ(sent(5e15), "no bytes sent instead of 5e+03 TB");
}

TEST(Reason, TellsMessagesAndBytesByWhereTheyGo) {
  const choice::Layout layout{64, 8, 8};
  const auto reason = [&](const char* better, const char* other, const Prices& prices) {
    return why_faster(predict(chosen(kAlltoall, better, layout), layout, {8}, prices),
                      predict(chosen(kAlltoall, other, layout), layout, {8}, prices));
  };
  Prices prices = messages_only(0, 0);
  prices.between.message_seconds = 1;
  EXPECT_EQ(reason("two_layer_bruck:intra=2:inter=2", "tunable_bruck:radix=2", prices),
            "3 messages between nodes instead of 6");
  EXPECT_EQ(reason("node_aware", "spread_out", prices), "1 message instead of 63");
  prices = messages_only(0, 1);
  EXPECT_EQ(reason("spread_out", "tunable_bruck:radix=2", prices),
            "504 bytes sent instead of 1.54 kB");
  // Hops that cross for some ranks count as crossing. The adapter is busy for longer in any case.
  prices.between.seconds_per_byte = 0;
  prices.host.adapter_seconds_per_byte = 1;
  const choice::Layout uneven_hops{48, 6, 8};
  const auto at = [&](const char* name) {
    return predict(chosen(kAlltoall, name, uneven_hops), uneven_hops, {8}, prices);
  };
  EXPECT_EQ(why_faster(at("pairwise"), at("spread_out")),
            "no bytes sent inside the node instead of 56 bytes");
  prices = messages_only(0, 0);
  prices.host.cores = 1;
  prices.host.switch_seconds = 1;
  EXPECT_EQ(reason("spread_out", "pairwise", prices),
            "1 wait for ranks that share cores instead of 63");
}

}  // namespace
}  // namespace rondo::model
