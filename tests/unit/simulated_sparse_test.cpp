// Simulated sparse, neighbourhood and dynamic exchanges, on machines where all but one thing is free.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "simulate/exchange.hpp"
#include "simulate/play.hpp"

namespace rondo::simulate {
namespace {

using choice::Layout;
using registry::Collective;

constexpr double kLatency = 1;

Machine latency_alone() {
  Machine machine;
  machine.between.latency_seconds = kLatency;
  return machine;
}

Exchange exchange_of(Collective collective, std::string_view algorithm, const Layout& layout,
                     std::string_view distribution = "sparse:2") {
  return {.choice = choice::resolve(choice::parse(collective, algorithm), layout),
          .layout = layout,
          .load = {.block_bytes = 100, .distribution = Distribution::parse(distribution)},
          .seed = 7};
}

Outcome simulated(Collective collective, std::string_view algorithm, const Layout& layout) {
  return simulate(exchange_of(collective, algorithm, layout), latency_alone());
}

constexpr Layout kEightNodes{.ranks = 8, .nodes = 8, .per_node = 1};

struct Row {
  std::string_view algorithm;
  double latencies;
  std::int64_t messages;  ///< of all ranks
};

/// 3 rounds of a barrier or a reduction; a message and its answer; the alltoall of lengths straight.
constexpr Row kRows[] = {
    {"nbx", 3 + 2, 8 * (3 + 2 + 2)},
    {"nbx:threshold=99", 3 + 3, 8 * (3 + 2 + 2 + 2)},
    {"personalized", 3 + 1, 8 * (3 + 2)},
    {"mpi", 2, 8 * (7 + 2)},
};

TEST(SimulatedSparse, AlgorithmsTakeTheLatenciesAndMessagesOfTheirDiscovery) {
  for (const Row& row : kRows) {
    const Outcome made = simulated(Collective::sparse_alltoallv, row.algorithm, kEightNodes);
    EXPECT_DOUBLE_EQ(made.seconds, row.latencies * kLatency) << row.algorithm;
    EXPECT_EQ(made.messages, row.messages) << row.algorithm;
    EXPECT_EQ(made.ranks, 8) << row.algorithm;
  }
}

TEST(SimulatedSparse, EngineOfAlltoallvTakesWhatItTakesThere) {
  for (const std::string_view name : {"fused_bruck", "node_aware"}) {
    const Layout layout{.ranks = 8, .nodes = 4, .per_node = 2};
    const Outcome sparse = simulated(Collective::sparse_alltoallv, name, layout);
    const Outcome dense = simulated(Collective::alltoallv, name, layout);
    EXPECT_DOUBLE_EQ(sparse.seconds, dense.seconds) << name;
    EXPECT_EQ(sparse.messages, dense.messages) << name;
  }
}

TEST(SimulatedSparse, OneRankSendsNothing) {
  for (const Row& row : kRows)
    EXPECT_EQ(simulated(Collective::sparse_alltoallv, row.algorithm, {}).messages, 0);
}

TEST(SimulatedNeighbours, OneMessageForEachPairOfNodesWithAnEdge) {
  const Layout layout{.ranks = 16, .nodes = 4, .per_node = 4};
  const Outcome straight = simulated(Collective::neighbor_alltoallv, "spread_out", layout);
  EXPECT_DOUBLE_EQ(straight.seconds, kLatency);
  EXPECT_EQ(straight.messages, 16 * 2);
  EXPECT_EQ(simulated(Collective::neighbor_alltoallv, "mpi", layout).messages, 16 * 2);
  const Exchange exchange = exchange_of(Collective::neighbor_alltoallv, "node_aware", layout);
  std::set<std::pair<int, int>> pairs;
  const Lengths lengths(exchange.load.distribution, 100, 16);
  for (int source = 0; source < 16; ++source)
    for (const Partner& partner : partners_of(source, exchange, lengths))
      if (partner.rank / 4 != source / 4) pairs.insert({source / 4, partner.rank / 4});
  const Outcome made = simulate(exchange, latency_alone());
  EXPECT_DOUBLE_EQ(made.seconds, kLatency);
  EXPECT_EQ(made.messages, static_cast<std::int64_t>(pairs.size()));
  EXPECT_LT(made.messages, 16 * 2);
}

TEST(SimulatedDynamic, LengthsComeFirstUnlessMessagesCarryThem) {
  const auto seconds = [](std::string_view name, bool is_dynamic) {
    Exchange exchange = exchange_of(Collective::alltoallv, name, kEightNodes, "uniform");
    exchange.is_dynamic = is_dynamic;
    return simulate(exchange, latency_alone()).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds("spread_out", true), seconds("spread_out", false) + kLatency);
  EXPECT_DOUBLE_EQ(seconds("fused_bruck", true), seconds("fused_bruck", false));
}

TEST(Partners, EveryRankHasItsOwnAndNeverItself) {
  const Layout layout{.ranks = 9, .nodes = 9, .per_node = 1};
  for (const auto& [distribution, count] : {std::pair{"sparse:1", 1},
                                            {"sparse:4", 4},
                                            {"sparse:8", 8},
                                            {"sparse:100", 8},
                                            {"constant", 8}}) {
    const Exchange exchange =
        exchange_of(Collective::sparse_alltoallv, "nbx", layout, distribution);
    const Lengths lengths(exchange.load.distribution, 100, 9);
    for (int source = 0; source < 9; ++source) {
      std::set<int> ranks;
      for (const Partner& partner : partners_of(source, exchange, lengths)) {
        EXPECT_EQ(partner.bytes, 100);
        ranks.insert(partner.rank);
      }
      EXPECT_EQ(ranks.size(), static_cast<std::size_t>(count)) << distribution;
      EXPECT_EQ(ranks.count(source), 0U) << distribution;
      EXPECT_TRUE(*ranks.begin() >= 0 && *ranks.rbegin() < 9) << distribution;
    }
  }
}

TEST(Lengths, OfSparseBlocksAreExact) {
  const Lengths lengths(Distribution::parse("sparse:4"), 100, 64);
  const Moments within = lengths.moments(100);
  EXPECT_DOUBLE_EQ(within.mean, 100 * 4.0 / 64);
  EXPECT_NEAR(within.deviation, 100 * std::sqrt(4.0 / 64 * 60 / 64), 1e-9);
  EXPECT_DOUBLE_EQ(within.above_share, 0);
  const Moments beyond = lengths.moments(99);
  EXPECT_DOUBLE_EQ(beyond.mean, 0);
  EXPECT_DOUBLE_EQ(beyond.above_share, 4.0 / 64);
  EXPECT_DOUBLE_EQ(beyond.above_mean, 100);
  EXPECT_EQ(lengths.quantile(0.93), 0);
  EXPECT_EQ(lengths.quantile(0.94), 100);
}

}  // namespace
}  // namespace rondo::simulate
