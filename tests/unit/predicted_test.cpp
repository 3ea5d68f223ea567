// Predictions without measurements: nothing that cannot run, and nothing surprising.
#include "select/decide.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "prices.hpp"

namespace rondo::select {
namespace {

using choice::Layout;
using model::kAlltoall;
using model::kAlltoallv;
using model::one_node;
using model::own_nodes;

std::string name_at(const Bands& bands, std::size_t bytes) {
  return std::string(band_of(bands, bytes).choice.algorithm->name);
}

Decisions typical(const Layout& layout, bool has_node = true) {
  return predicted({.layout = layout, .has_node = has_node}, model::typical_cluster());
}

constexpr std::size_t kLong = std::size_t{1} << 24;

TEST(Predicted, OneNodeSharesMemory) {
  for (const int ranks : {2, 3, 16, 64}) {
    const Decisions decisions = typical(one_node(ranks));
    EXPECT_EQ(name_at(decisions.alltoall, 8), "node_aware") << ranks;
    EXPECT_EQ(name_at(decisions.alltoallv, 8), "node_aware") << ranks;
  }
}

/// Whatever the length, if long blocks go through shared memory too.
TEST(Predicted, OneNodeCopiesLongBlocks) {
  for (const int ranks : {2, 3, 16, 64})
    for (const bool copies_long : {false, true}) {
      const Place place{.layout = one_node(ranks), .has_node = true, .copies_long = copies_long};
      const Decisions decisions = predicted(place, model::typical_cluster());
      EXPECT_EQ(name_at(decisions.alltoall, kLong), copies_long ? "node_aware" : "mpi") << ranks;
      if (copies_long) {
        EXPECT_EQ(name_at(decisions.alltoallv, kLong), "node_aware") << ranks;
      }
    }
}

TEST(Predicted, SeveralNodesAreHierarchical) {
  for (const Layout& layout : {Layout{64, 4, 16}, Layout{256, 16, 16}, Layout{12, 6, 2, 3}}) {
    const Decisions decisions = typical(layout);
    EXPECT_EQ(name_at(decisions.alltoall, 8), "node_aware") << layout.ranks;
    EXPECT_EQ(name_at(decisions.alltoallv, 8), "node_aware") << layout.ranks;
  }
}

/// Log-time rounds for short blocks; long blocks all go straight.
TEST(Predicted, WithoutSharedMemoryBruckThenStraight) {
  for (const auto& [layout, has_node] :
       {std::pair{own_nodes(64), true}, {own_nodes(300), false}, {Layout{64, 4, 16}, false}}) {
    const Decisions decisions = typical(layout, has_node);
    EXPECT_EQ(name_at(decisions.alltoall, 8), "tunable_bruck") << layout.ranks;
    EXPECT_EQ(name_at(decisions.alltoallv, 8), "fused_bruck") << layout.ranks;
    EXPECT_EQ(name_at(decisions.alltoall, kLong), "mpi") << layout.ranks;
    EXPECT_EQ(name_at(decisions.alltoallv, kLong), "spread_out") << layout.ranks;
  }
}

TEST(Predicted, OneRankHasNoChoice) {
  const Decisions decisions = typical(one_node(1));
  for (const auto collective : {kAlltoall, kAlltoallv}) {
    const Bands& bands = decisions.of(collective);
    ASSERT_EQ(bands.size(), 1u);
    EXPECT_EQ(bands[0].up_to, kNoEnd);
    EXPECT_EQ(bands[0].choice.text(), "spread_out");
    EXPECT_EQ(bands[0].reason, "no other algorithm applies");
  }
}

/// If messages cost nothing, shared memory is not used; if they cost most, it always is.
TEST(Predicted, FollowsTheMachine) {
  model::Machine machine = model::typical_cluster();
  const Place place{.layout = Layout{64, 4, 16}, .has_node = true};
  machine.host.arrival_seconds = 1;
  EXPECT_NE(name_at(predicted(place, machine).alltoallv, 8), "node_aware");
  machine = model::typical_cluster();
  for (auto* link : {&machine.inside, &machine.between}) link->loggp.overhead_seconds = 1e-3;
  EXPECT_EQ(name_at(predicted(place, machine).alltoallv, 1024), "node_aware");
}

double seconds_of(const char* text, const Layout& layout, std::int64_t bytes) {
  const Place place{.layout = layout};
  return contest_of(kAlltoallv, place, model::typical_cluster())
      .predict(model::chosen(kAlltoallv, text, layout), bytes)
      .cost.total();
}

/// The default way between nodes is that of the model for short blocks, whatever the number of nodes.
TEST(Predicted, TheDefaultWayBetweenNodesIsTheFasterOne) {
  for (const int per_node : {2, 4, 8, 16, 64})
    for (const int nodes : {2, 4, 16, 64, 256, 1024, 4096}) {
      const Layout layout{nodes * per_node, nodes, per_node};
      const double by_default = seconds_of("node_aware", layout, 8);
      for (const char* const way : {"node_aware:inter=direct", "node_aware:inter=bruck"})
        EXPECT_LE(by_default, 1.05 * seconds_of(way, layout, 8)) << way << nodes << "x" << per_node;
    }
}

/// `auto` considers the one that is faster at a length.
TEST(Predicted, TheWayBetweenNodesDependsOnTheLength) {
  const Place place{.layout = Layout{128, 64, 2}};
  const auto way_at = [&](std::int64_t bytes) {
    const auto all =
        ranked(registry::Chooser::automatic, kAlltoallv, place, model::typical_cluster(), bytes);
    const auto first = std::ranges::find_if(all, [](const PredictedChoice& one) {
      return one.choice.algorithm->shape == registry::Shape::node;
    });
    return static_cast<schedule::Between>(
        first->prediction.choice.value(registry::Key::between, -1));
  };
  EXPECT_EQ(way_at(8), schedule::Between::bruck);
  EXPECT_EQ(way_at(2048), schedule::Between::direct);
}

/// The algorithm that reports lengths where no other does.
TEST(Reporting, IsTheFastestForLongBlocksThatNeedsNoSharedMemory) {
  const model::Machine machine = model::typical_cluster();
  for (const Layout& layout :
       {one_node(2), one_node(16), own_nodes(13), own_nodes(300), Layout{64, 4, 16}}) {
    const choice::OpenChoice request = reporting({}, {.layout = layout}, nullptr);
    EXPECT_TRUE(reports_longest(request)) << request.text();
    EXPECT_EQ(choice::parse(kAlltoallv, request.text()).values, request.values);
    const Place place{.layout = layout, .has_node = false};
    const auto all = ranked(registry::Chooser::automatic, kAlltoallv, place, machine, 1 << 20);
    const auto first = std::ranges::find_if(
        all, [](const PredictedChoice& one) { return reports_longest(one.choice); });
    ASSERT_NE(first, all.end());
    EXPECT_EQ(request.text(), first->choice.text());
  }
  EXPECT_TRUE(reports_longest(reporting({}, {.layout = one_node(1)}, nullptr)));
}

TEST(Reporting, IsWhatABandRunsIfThatReports) {
  const Bands bands = {
      {.up_to = 10, .choice = choice::parse(kAlltoallv, "sloav"), .reason = ""},
      {.up_to = kNoEnd, .choice = choice::parse(kAlltoallv, "fused_bruck:radix=3"), .reason = ""}};
  EXPECT_EQ(reporting(bands, {.layout = one_node(8)}, nullptr).text(), "fused_bruck:radix=3");
}

TEST(Predicted, BandsCoverEveryLength) {
  for (const Layout& layout : {one_node(16), own_nodes(13), Layout{48, 6, 8}, Layout{12, 6, 2, 3}})
    for (const bool has_node : {true, false}) {
      const Decisions decisions = typical(layout, has_node);
      for (const auto collective : {kAlltoall, kAlltoallv}) {
        const Bands& bands = decisions.of(collective);
        ASSERT_FALSE(bands.empty());
        EXPECT_EQ(bands.back().up_to, kNoEnd);
        for (std::size_t i = 0; i < bands.size(); ++i) {
          EXPECT_TRUE(i == 0 || bands[i - 1].up_to < bands[i].up_to);
          EXPECT_TRUE(i == 0 || bands[i - 1].choice.text() != bands[i].choice.text());
          EXPECT_NE(bands[i].reason, "");
          const bool needs_node = bands[i].choice.algorithm->shape == registry::Shape::node;
          EXPECT_TRUE(has_node || !needs_node) << bands[i].choice.text();
        }
      }
    }
}

/// The algorithm of a band is the fastest variant at the length at which it was compared.
TEST(Predicted, IsTheFastestWhereItIsCompared) {
  const Place place{.layout = Layout{64, 4, 16}, .has_node = true};
  const model::Machine machine = model::typical_cluster();
  const Decisions decisions = predicted(place, machine);
  for (const auto collective : {kAlltoall, kAlltoallv}) {
    const model::Contest contest = contest_of(collective, place, machine);
    for (const std::size_t bytes : {0, 1, 3, 512, 513, 70000, 1 << 20, 1 << 28}) {
      const std::int64_t compared = compared_at(bytes);
      std::vector<choice::Choice> choices;
      for (const choice::OpenChoice& request :
           variants(registry::Chooser::automatic, collective, place, contest.load(compared)))
        choices.push_back(model::with_best_radices(request, contest, compared));
      EXPECT_EQ(name_at(decisions.of(collective), bytes),
                model::ranking(choices, contest, compared).front().choice.algorithm->name)
          << bytes;
    }
  }
}

TEST(Predicted, IsComparedAtPowersOfTwo) {
  const std::pair<std::size_t, std::int64_t> rows[] = {{0, 1},
                                                       {1, 1},
                                                       {2, 2},
                                                       {3, 4},
                                                       {512, 512},
                                                       {513, 1024},
                                                       {1 << 20, 1 << 20},
                                                       {(1 << 20) + 1, 1 << 20},
                                                       {kNoEnd, 1 << 20}};
  for (const auto& [bytes, compared] : rows) EXPECT_EQ(compared_at(bytes), compared) << bytes;
}

/// Set-up waits for these predictions.
TEST(Predicted, LargeCommunicators) {
  for (const Layout& layout : {own_nodes(4096), Layout{4096, 64, 64}, own_nodes(4093)}) {
    const Decisions decisions = typical(layout);
    EXPECT_EQ(name_at(decisions.alltoallv, kLong), "spread_out") << layout.ranks;
    EXPECT_NE(name_at(decisions.alltoallv, 8), "spread_out") << layout.ranks;
  }
}

}  // namespace
}  // namespace rondo::select
