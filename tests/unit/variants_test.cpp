// The variants that are worth running: rows and values, by layout and length.
#include "select/variants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "prices.hpp"

namespace rondo::select {
namespace {

using choice::Layout;
using model::kAlltoall;
using model::kAlltoallv;
using model::one_node;
using model::own_nodes;
using registry::Chooser;
using registry::Collective;

using Texts = std::vector<std::string>;

const Layout kFourByEight{32, 4, 8};
const Layout kUnevenNodes{12, 6, 2, 3};
const Place kPlaces[] = {{one_node(1)},         {one_node(2)},  {one_node(8)},  {own_nodes(13)},
                         {kFourByEight, false}, {kFourByEight}, {kUnevenNodes}, {{64, 32, 2}}};
const Chooser kChoosers[] = {Chooser::automatic, Chooser::plan, Chooser::tuning};

model::Load load_of(Collective collective, std::int64_t bytes) {
  return contest_of(collective, {}, model::typical_cluster()).load(bytes);
}

Texts texts(Chooser chooser, Collective collective, const Place& place, std::int64_t bytes) {
  Texts found;
  for (const auto& request : variants(chooser, collective, place, load_of(collective, bytes)))
    found.push_back(request.text());
  return found;
}

/// Of one algorithm.
Texts texts_of(const std::string& algorithm, Chooser chooser, Collective collective,
               const Place& place, std::int64_t bytes) {
  Texts found = texts(chooser, collective, place, bytes);
  std::erase_if(
      found, [&](const std::string& text) { return text.substr(0, text.find(':')) != algorithm; });
  return found;
}

TEST(Variants, AutoLeavesParametersAtTheirDefaults) {
  const Place one{one_node(8)};
  EXPECT_EQ(texts(Chooser::automatic, kAlltoall, one, 1 << 20),
            (Texts{"mpi", "tunable_bruck", "node_aware"}));
  EXPECT_EQ(texts(Chooser::automatic, kAlltoallv, one, 1 << 20),
            (Texts{"spread_out", "fused_bruck", "node_aware"}));
}

TEST(Variants, OneRankHasOne) {
  for (const Chooser chooser : kChoosers)
    for (const Collective collective : {kAlltoall, kAlltoallv})
      EXPECT_EQ(texts(chooser, collective, {one_node(1)}, 64), Texts{"spread_out"});
}

TEST(Variants, MemoryOfANodeIsForRanksThatShareOne) {
  for (const Place& place : {Place{own_nodes(8)}, Place{one_node(8), false}})
    for (const Chooser chooser : kChoosers)
      EXPECT_EQ(texts_of("node_aware", chooser, kAlltoallv, place, 64), Texts{});
}

/// Each chooser considers what the one before it considers, and more.
TEST(Variants, EveryChooserConsidersWhatTheOneBeforeDoes) {
  for (const Place& place : kPlaces)
    for (const Collective collective : {kAlltoall, kAlltoallv})
      for (const std::int64_t bytes : {1, 4096, 1 << 20}) {
        Texts before;
        for (const Chooser chooser : kChoosers) {
          const Texts now = texts(chooser, collective, place, bytes);
          for (const std::string& text : before)
            EXPECT_NE(std::ranges::find(now, text), now.end()) << text;
          before = now;
        }
      }
}

TEST(Variants, TuningConsidersEveryRowThatApplies) {
  std::set<std::string> rows;
  std::set<std::string> considered;
  for (const registry::Algorithm& row : registry::algorithms())
    if (row.collective == kAlltoall) rows.emplace(row.name);
  for (const std::string& text : texts(Chooser::tuning, kAlltoall, {kFourByEight}, 64))
    considered.insert(text.substr(0, text.find(':')));
  EXPECT_EQ(considered, rows);
}

TEST(Variants, NoTwoDoTheSame) {
  for (const Place& place : kPlaces)
    for (const Collective collective : {kAlltoall, kAlltoallv})
      for (const std::int64_t bytes : {0, 64, 4097, 1 << 20}) {
        const model::Load load = load_of(collective, bytes);
        std::set<std::string> known;
        for (const auto& request : variants(Chooser::tuning, collective, place, load)) {
          const auto choice = choice::resolve(request, place.layout);
          EXPECT_TRUE(known.insert(acts_as(choice, place.layout, load).text()).second)
              << request.text();
          EXPECT_EQ(choice::resolve(choice::parse(collective, request.text()), place.layout),
                    choice)
              << request.text();
        }
      }
}

/// Radices up to the number of ranks, and the root if it is not the default.
TEST(Variants, RadicesOfTuning) {
  const auto of = [](const char* name, Collective collective, const Place& place) {
    return texts_of(name, Chooser::tuning, collective, place, 64);
  };
  EXPECT_EQ(of("tunable_bruck", kAlltoall, {one_node(2)}), Texts{"tunable_bruck"});
  EXPECT_EQ(of("tunable_bruck", kAlltoall, {one_node(8)}),
            (Texts{"tunable_bruck", "tunable_bruck:radix=2", "tunable_bruck:radix=4",
                   "tunable_bruck:radix=8"}));
  EXPECT_EQ(
      of("two_phase_bruck", kAlltoallv, {one_node(40)}),
      (Texts{"two_phase_bruck", "two_phase_bruck:radix=3", "two_phase_bruck:radix=4",
             "two_phase_bruck:radix=8", "two_phase_bruck:radix=16", "two_phase_bruck:radix=32",
             "two_phase_bruck:radix=40", "two_phase_bruck:radix=7"}));
  EXPECT_EQ(of("two_layer_bruck", kAlltoall, {{6, 3, 2}}),
            (Texts{"two_layer_bruck", "two_layer_bruck:inter=2"}));
}

TEST(Variants, BetweenNodesDirectlyOrInRoundsOfEveryRadix) {
  const auto of = [](Chooser chooser, const Place& place) {
    return texts_of("node_aware", chooser, kAlltoallv, place, 64);
  };
  EXPECT_EQ(of(Chooser::tuning, {one_node(8)}), Texts{"node_aware"});
  EXPECT_EQ(of(Chooser::automatic, {kFourByEight}),
            (Texts{"node_aware", "node_aware:inter=bruck"}));
  EXPECT_EQ(of(Chooser::plan, {kFourByEight}), (Texts{"node_aware", "node_aware:inter=bruck"}));
  EXPECT_EQ(of(Chooser::tuning, {kFourByEight}),
            (Texts{"node_aware", "node_aware:inter=bruck", "node_aware:inter=bruck:radix=3",
                   "node_aware:inter=bruck:radix=4"}));
  // Where rounds are the default.
  EXPECT_EQ(of(Chooser::plan, {{128, 64, 2}}), (Texts{"node_aware", "node_aware:inter=direct"}));
}

struct ThresholdRow {
  const char* algorithm;
  Collective collective;
  std::int64_t bytes;
  Texts found;
};

TEST(Variants, ThresholdsThatSomeBlocksExceed) {
  const ThresholdRow rows[] = {
      {"node_aware", kAlltoallv, 4096, {"node_aware"}},
      {"node_aware", kAlltoallv, 4097, {"node_aware", "node_aware:threshold=4096"}},
      {"node_aware",
       kAlltoallv,
       1 << 20,
       {"node_aware", "node_aware:threshold=4096", "node_aware:threshold=16384"}},
      {"fused_bruck",
       kAlltoallv,
       10000,
       {"fused_bruck", "fused_bruck:threshold=4096", "fused_bruck:threshold=16384"}},
      // Off as published.
      {"sloav", kAlltoallv, 1 << 20, {}},
      // Of blocks of one length all would go straight.
      {"node_aware", kAlltoall, 1 << 20, {"node_aware"}},
  };
  for (const ThresholdRow& row : rows)
    EXPECT_EQ(texts_of(row.algorithm, Chooser::plan, row.collective, {one_node(8)}, row.bytes),
              row.found)
        << row.algorithm << " " << row.bytes;
}

TEST(Variants, ThresholdsOfSeveralParametersAreCombined) {
  EXPECT_EQ(texts_of("node_aware", Chooser::plan, kAlltoallv, {kFourByEight}, 5000),
            (Texts{"node_aware", "node_aware:inter=bruck", "node_aware:threshold=4096",
                   "node_aware:threshold=4096:inter=bruck"}));
}

TEST(PredictedChoice, IsSortedAndAutosRadicesAreTheBest) {
  const Place place{own_nodes(64)};
  const model::Machine machine = model::typical_cluster();
  for (const Chooser chooser : kChoosers) {
    const auto found = ranked(chooser, kAlltoallv, place, machine, 512);
    EXPECT_TRUE(std::ranges::is_sorted(
        found, {}, [](const PredictedChoice& one) { return one.prediction.cost.total(); }));
    const bool leaves_radices = chooser == Chooser::tuning;
    const bool has_default = std::ranges::any_of(
        found, [](const PredictedChoice& one) { return one.choice.text() == "fused_bruck"; });
    EXPECT_EQ(has_default, leaves_radices);
  }
  const auto first = ranked(Chooser::automatic, kAlltoallv, place, machine, 512).front();
  const model::Contest contest = contest_of(kAlltoallv, place, machine);
  EXPECT_EQ(first.prediction.choice,
            model::with_best_radices(choice::parse(kAlltoallv, "fused_bruck"), contest, 512));
}

}  // namespace
}  // namespace rondo::select
