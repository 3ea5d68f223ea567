// How a plan that measures uses its durations, and what it tries.
#include "select/trials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "model/machine.hpp"
#include "select/variants.hpp"

namespace rondo::select {
namespace {

constexpr std::size_t kCandidates = 4;

/// Runs all turns. PlannedChoice c takes cost(c, how often it has run) seconds, or fails if negative.
template <class Cost>
Trials run_all(Cost&& cost, std::size_t candidates = kCandidates) {
  Trials trials(candidates, 7);
  std::vector<int> runs(candidates);
  while (!trials.are_over()) {
    const std::size_t candidate = trials.next();
    const double seconds = cost(candidate, runs[candidate]++);
    if (seconds >= 0) trials.record(seconds);
  }
  return trials;
}

TEST(Trials, EveryRoundHasEveryCandidateOnceTheFirstInOrder) {
  Trials trials(kCandidates, 7);
  std::set<std::vector<std::size_t>> orders;
  for (std::size_t round = 0; round <= Trials::kTimed; ++round) {
    std::vector<std::size_t> order;
    for (std::size_t place = 0; place < kCandidates; ++place) {
      EXPECT_FALSE(trials.are_over());
      order.push_back(trials.next());
    }
    if (round == 0) {
      EXPECT_TRUE(std::ranges::is_sorted(order));
    }
    orders.insert(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
  }
  EXPECT_TRUE(trials.are_over());
  EXPECT_GT(orders.size(), 2U) << "the order of a round is the same again and again";
}

TEST(Trials, TheSameSeedGivesTheSameOrderAnotherAnother) {
  Trials first(6, 1);
  Trials same(6, 1);
  Trials other(6, 2);
  bool differs = false;
  while (!first.are_over()) {
    const std::size_t candidate = first.next();
    EXPECT_EQ(candidate, same.next());
    differs |= candidate != other.next();
  }
  EXPECT_TRUE(differs);
}

TEST(Trials, TheFastestWins) {
  for (std::size_t fastest = 0; fastest < kCandidates; ++fastest)
    EXPECT_EQ(run_all([&](std::size_t candidate, int) {
                return candidate == fastest ? 1.0 : 2.0;
              }).winner(),
              fastest);
}

TEST(Trials, TheFirstExecutionDoesNotCount) {
  const Trials trials = run_all([](std::size_t candidate, int run) {
    if (run == 0) return candidate == 2 ? 100.0 : 0.001;
    return candidate == 2 ? 1.0 : 2.0;
  });
  EXPECT_EQ(trials.winner(), 2U);
  EXPECT_EQ(trials.seconds(2), 1.0);
}

TEST(Trials, TheMedianDecidesNotOutliers) {
  const Trials trials = run_all([](std::size_t candidate, int run) {
    if (run <= 2) return candidate == 1 ? 50.0 : 0.1;
    return candidate == 1 ? 1.0 : 2.0;
  });
  EXPECT_EQ(trials.seconds(1), 1.0);
  EXPECT_EQ(trials.seconds(0), 2.0);
  EXPECT_EQ(trials.winner(), 1U);
}

TEST(Trials, ATieGoesToTheFirst) {
  const auto winner_at = [](double other) {
    return run_all([&](std::size_t candidate, int) { return candidate == 3 ? other : 1.0; })
        .winner();
  };
  EXPECT_EQ(winner_at(0.98), 0U);
  EXPECT_EQ(winner_at(0.96), 3U);
}

TEST(Trials, FailedExecutionsAreLeftOut) {
  // The second candidate has two durations left, the third none.
  const Trials trials = run_all([](std::size_t candidate, int run) {
    if (candidate == 2 || (candidate == 1 && run < 4)) return -1.0;
    return candidate == 1 ? 0.5 * run : 5.0;
  });
  EXPECT_EQ(trials.seconds(1), 2.25);
  EXPECT_TRUE(std::isinf(trials.seconds(2)));
  EXPECT_EQ(trials.winner(), 1U);
}

TEST(Trials, WithoutAnyDurationTheFirstWins) {
  EXPECT_EQ(run_all([](std::size_t, int) { return -1.0; }).winner(), 0U);
}

TEST(Trials, DurationsCanBeReplacedByTheMostOfAllRanks) {
  Trials here = run_all([](std::size_t candidate, int) { return candidate == 0 ? 1.0 : 5.0; });
  Trials there = run_all([](std::size_t candidate, int run) {
    if (candidate == 2 && run != 3) return -1.0;
    return candidate == 0 ? 9.0 : candidate == 2 ? 0.1 : 7.0 + static_cast<double>(candidate);
  });
  std::ranges::transform(here.durations(), there.durations(), here.durations().begin(),
                         [](double a, double b) { return std::max(a, b); });
  EXPECT_EQ(here.seconds(0), 9.0);
  EXPECT_EQ(here.seconds(2), 5.0);
  EXPECT_EQ(here.winner(), 2U);
}

/// Names of what a plan of a communicator tries where `auto` runs `own`.
std::vector<std::string> tried(const std::string& own, const Place& place, std::size_t bytes,
                               registry::Collective collective = registry::Collective::alltoallv) {
  std::vector<std::string> names;
  for (const choice::Choice& choice :
       choices_to_try(choice::resolve(choice::parse(collective, own), place.layout), place,
                      model::typical_cluster(), bytes))
    names.push_back(choice.text());
  return names;
}

std::string algorithm_of(const std::string& name) {
  return name.substr(0, name.find(':'));
}

const choice::Layout kOneNode{.ranks = 8, .nodes = 1, .per_node = 8};
const choice::Layout kFourNodes{.ranks = 32, .nodes = 4, .per_node = 8};
const choice::Layout kOneEach{.ranks = 16, .nodes = 16, .per_node = 1};
const choice::Layout kUneven{.ranks = 7, .nodes = 7, .per_node = 1, .uneven_nodes = 3};
const choice::Layout kAlone{};

TEST(Contenders, AutosOwnIsFirstThenTheLibrarysAndAllDiffer) {
  for (const auto collective : {registry::Collective::alltoall, registry::Collective::alltoallv})
    for (const choice::Layout& layout : {kOneNode, kFourNodes, kOneEach, kUneven, kAlone})
      for (const bool has_node : {false, true})
        for (const std::size_t bytes : {0UL, 1UL, 400UL, 20000UL, 100000UL, 1UL << 31}) {
          const auto names = tried("spread_out", {layout, has_node}, bytes, collective);
          EXPECT_EQ(algorithm_of(names.at(0)), "spread_out");
          EXPECT_EQ(names.at(1), "mpi");
          EXPECT_LE(names.size(), kMostTried);
          EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
        }
}

TEST(Contenders, WithoutSharedMemoryNothingNeedsIt) {
  for (const choice::Layout& layout : {kOneNode, kFourNodes})
    for (const std::string& name : tried("fused_bruck", {layout, false}, 400))
      EXPECT_NE(algorithm_of(name), "node_aware");
}

TEST(Contenders, OthersThanAutosOwnAreTried) {
  const auto names = tried("spread_out", {kOneNode, true}, 64);
  const auto has = [&](const char* algorithm) {
    return std::ranges::find(names, algorithm, algorithm_of) != names.end();
  };
  EXPECT_TRUE(has("node_aware"));
  EXPECT_TRUE(has("fused_bruck"));
}

TEST(Contenders, AThresholdIsAnotherWayOnlyForLongerBlocks) {
  const auto ways = [](std::size_t bytes) {
    const auto names = tried("node_aware", {kOneNode, true}, bytes);
    return std::ranges::count(names, "node_aware", algorithm_of);
  };
  EXPECT_EQ(ways(4096), 1);
  EXPECT_EQ(ways(4097), 2);
}

}  // namespace
}  // namespace rondo::select
