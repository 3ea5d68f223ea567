// What is worth trying on a communicator.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "model/machine.hpp"
#include "select/variants.hpp"

namespace rondo::select {
namespace {

/// Names of what is tried where `auto` runs `own`.
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

TEST(ChoicesToTry, AutosOwnIsFirstThenTheLibrarysAndAllDiffer) {
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

TEST(ChoicesToTry, WithoutSharedMemoryNothingNeedsIt) {
  for (const choice::Layout& layout : {kOneNode, kFourNodes})
    for (const std::string& name : tried("fused_bruck", {layout, false}, 400))
      EXPECT_NE(algorithm_of(name), "node_aware");
}

struct DominatedRow {
  registry::Collective collective;
  int ranks;
  std::size_t bytes;
  std::set<std::string> algorithms;  ///< that are tried
};

/// Between two ranks there is one message. With more, rounds save messages, and where they save none they only copy.
const DominatedRow kDominated[] = {
    {registry::Collective::alltoall, 2, 64, {"node_aware", "mpi"}},
    {registry::Collective::alltoall, 2, 262144, {"node_aware", "mpi"}},
    {registry::Collective::alltoallv, 2, 1024, {"node_aware", "mpi"}},
    {registry::Collective::alltoall, 8, 64, {"node_aware", "mpi", "spread_out", "tunable_bruck"}},
    {registry::Collective::alltoall, 8, 262144, {"node_aware", "mpi", "spread_out"}},
    {registry::Collective::alltoallv, 8, 64, {"node_aware", "mpi", "spread_out", "fused_bruck"}},
};

TEST(ChoicesToTry, NothingThatCostsMoreInEveryWay) {
  for (const DominatedRow& row : kDominated) {
    const choice::Layout layout{.ranks = row.ranks, .nodes = 1, .per_node = row.ranks};
    const Place place{.layout = layout, .has_node = true, .copies_long = true};
    std::set<std::string> algorithms;
    for (const std::string& name : tried("node_aware", place, row.bytes, row.collective))
      algorithms.insert(algorithm_of(name));
    EXPECT_EQ(algorithms, row.algorithms) << row.ranks << " ranks, " << row.bytes << " bytes";
  }
}

TEST(ChoicesToTry, OthersThanAutosOwnAreTried) {
  const auto names = tried("spread_out", {kOneNode, true}, 64);
  const auto has = [&](const char* algorithm) {
    return std::ranges::find(names, algorithm, algorithm_of) != names.end();
  };
  EXPECT_TRUE(has("node_aware"));
  EXPECT_TRUE(has("fused_bruck"));
}

TEST(ChoicesToTry, AThresholdIsAnotherWayOnlyForLongerBlocks) {
  const auto ways = [](std::size_t bytes) {
    const auto names = tried("node_aware", {kOneNode, true}, bytes);
    return std::ranges::count(names, "node_aware", algorithm_of);
  };
  EXPECT_EQ(ways(4096), 1);
  EXPECT_EQ(ways(4097), 2);
}

/// With a radix of all four nodes, messages take one round. A search among 256 nodes would take too long.
TEST(ChoicesToTry, RoundsBetweenAFewNodesHaveTheBestRadix) {
  const auto has = [](const Place& place, const std::string& radix) {
    const auto names = tried("node_aware", place, 64);
    return std::ranges::any_of(names, [&](const std::string& name) {
      return name.find(":inter=bruck:radix=" + radix + ":") != std::string::npos;
    });
  };
  EXPECT_TRUE(has({kFourNodes, true}, "4"));
  EXPECT_TRUE(has({{.ranks = 2048, .nodes = 256, .per_node = 8}, true}, "16")) << "the default";
}

}  // namespace
}  // namespace rondo::select
