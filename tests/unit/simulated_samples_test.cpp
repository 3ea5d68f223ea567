// Samples of nodes, of draws and of long series, compared with simulations of every rank.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "model/trace.hpp"
#include "simulate/play.hpp"
#include "simulate/sample.hpp"

namespace rondo::simulate {
namespace {

using choice::Layout;
using registry::Collective;

constexpr double kSampleNoise = 1.4e-6;

/// About Theta.
Machine noisy_machine() {
  return {.inside = {1.4e-6, 0, 1e-6, 4.8e-10, 8192},
          .between = {1.4e-6, 0, 2e-6, 1e-10, 8192},
          .adapter = {.per_node = 1,
                      .seconds_per_message = 1e-7,
                      .seconds_per_byte = 2.7e-10,
                      .short_bytes = 360,
                      .short_seconds_per_byte = 8e-10},
          .copying = {3.3e-10, 524288, 6.9e-10, 1.9e-7, 1e-7, 3.3e-8},
          .waiting = {.match_seconds = 2e-9,
                      .arrival_seconds = 3e-7,
                      .switch_seconds = 5e-6,
                      .noise_seconds = kSampleNoise},
          .cores = 64,
          .mpi_alltoall = "spread_out:window=8",
          .mpi_alltoallv = "spread_out:window=8"};
}

Layout full_nodes(int nodes, int per_node) {
  return {.ranks = nodes * per_node, .nodes = nodes, .per_node = per_node};
}

struct SampledCase {
  Collective collective;
  const char* algorithm;
  Layout layout;
  double bytes;
  const char* distribution;
  double most_visits;
  double widest;  ///< half of the interval, as a share of the time
  bool is_dynamic = false;
};

Exchange exchange_of(const SampledCase& row, std::uint64_t seed) {
  return {.choice = choice::resolve(choice::parse(row.collective, row.algorithm), row.layout),
          .layout = row.layout,
          .load = {.block_bytes = row.bytes, .distribution = Distribution::parse(row.distribution)},
          .seed = seed,
          .most_visits = row.most_visits,
          .is_dynamic = row.is_dynamic};
}

const SampledCase kSampledCases[] = {
    {Collective::alltoallv, "spread_out", full_nodes(64, 8), 64, "uniform", 60000, 0.03},
    {Collective::alltoallv, "spread_out", full_nodes(128, 8), 2048, "power:0.99", 1e5, 0.03},
    {Collective::alltoallv, "spread_out:window=8", full_nodes(128, 8), 64, "uniform", 1e5, 0.08},
    {Collective::alltoallv, "pairwise", full_nodes(128, 8), 64, "uniform", 1e5, 0.08},
    {Collective::alltoallv, "pairwise", full_nodes(100, 5), 64, "normal", 30000, 0.2},
    {Collective::alltoallv, "two_phase_bruck", full_nodes(128, 8), 64, "uniform", 30000, 0.03},
    {Collective::alltoallv, "fused_bruck", full_nodes(512, 1), 64, "uniform", 10000, 0.06},
    {Collective::alltoallv, "node_aware", full_nodes(512, 4), 64, "uniform", 20000, 0.03},
    {Collective::alltoallv, "node_aware:threshold=32", full_nodes(128, 8), 64, "uniform", 1e5,
     0.15},
    {Collective::alltoallv, "spread_out", full_nodes(128, 8), 64, "uniform", 50000, 0.12, true},
    {Collective::alltoall, "two_layer_bruck", full_nodes(128, 8), 64, "constant", 50000, 0.03},
    {Collective::sparse_alltoallv, "mpi", full_nodes(128, 8), 64, "sparse:4", 1e5, 0.15},
};

/// Of 10 intervals and 5 exchanges each. The seeds are fixed, so this passes always or never.
TEST(SimulatedSamples, ExchangesAreWithinTheInterval) {
  constexpr int kSamples = 10;
  constexpr int kExchanges = 5;
  const Machine machine = noisy_machine();
  for (const SampledCase& row : kSampledCases) {
    SCOPED_TRACE(testing::Message() << row.algorithm << " " << row.distribution
                                    << " P=" << row.layout.ranks << " N=" << row.layout.nodes);
    std::vector<double> exact;
    std::int64_t messages = 0;
    for (std::uint64_t seed = 1000; seed < 1000 + kExchanges; ++seed) {
      Exchange every = exchange_of(row, seed);
      every.every_rank = true;
      const Outcome made = simulate(every, machine);
      EXPECT_EQ(made.low_seconds, made.high_seconds);
      exact.push_back(made.seconds);
      messages = made.messages;
    }
    int within = 0;
    for (std::uint64_t seed = 1; seed <= kSamples; ++seed) {
      const Outcome made = simulate(exchange_of(row, seed), machine);
      EXPECT_LT(made.messages, messages);
      EXPECT_LT(made.low_seconds, made.high_seconds);
      EXPECT_LT((made.high_seconds - made.low_seconds) / 2, row.widest * made.seconds);
      for (const double seconds : exact)
        within += made.low_seconds <= seconds && seconds <= made.high_seconds ? 1 : 0;
    }
    EXPECT_GE(within, 0.9 * kSamples * kExchanges);
  }
}

TEST(SimulatedSamples, SameSeedSameResult) {
  const Machine machine = noisy_machine();
  for (const SampledCase& row : kSampledCases) {
    const Outcome made = simulate(exchange_of(row, 5), machine);
    const Outcome again = simulate(exchange_of(row, 5), machine);
    EXPECT_EQ(made.seconds, again.seconds) << row.algorithm;
    EXPECT_EQ(made.high_seconds, again.high_seconds) << row.algorithm;
    EXPECT_NE(made.seconds, simulate(exchange_of(row, 6), machine).seconds) << row.algorithm;
  }
}

/// Far fewer than P^2, or P times the rounds.
TEST(SimulatedSamples, MessagesAreBoundedForEveryAlgorithm) {
  constexpr double kMost = 1 << 18;
  constexpr double kFactor = 8;
  const Layout layout = full_nodes(256, 32);
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv,
                                      Collective::sparse_alltoallv, Collective::neighbor_alltoallv})
    for (const registry::Algorithm& row : registry::algorithms_of(collective)) {
      const bool has_partners = model::has_partners({.algorithm = &row});
      const Exchange one{
          .choice = choice::resolve({.algorithm = &row}, layout),
          .layout = layout,
          .load = {.block_bytes = 64,
                   .distribution = Distribution::parse(has_partners ? "sparse:4" : "uniform")},
          .most_visits = kMost};
      const Outcome made = simulate(one, noisy_machine());
      EXPECT_GT(made.messages, 0) << row.name;
      EXPECT_LT(static_cast<double>(made.messages), kFactor * kMost) << row.name;
    }
}

/// Every simulated rank sends a few thousand messages, of a million.
TEST(SimulatedSamples, MessagesOfAMillionRanksAreBounded) {
  const Layout layout = full_nodes(8192, 128);
  for (const char* const name : {"spread_out", "pairwise", "node_aware"}) {
    const SampledCase row{Collective::alltoallv, name, layout, 16, "uniform", 1, 1};
    const Outcome made = simulate(exchange_of(row, 1), noisy_machine());
    EXPECT_LT(made.messages, 4'000'000) << name;
    EXPECT_LT(made.low_seconds, made.high_seconds) << name;
  }
}

/// Where nodes are alike, one represents all. Where all take little time, every rank is simulated.
TEST(SimulatedSamples, NothingIsSampledThatNeedsNoSample) {
  Machine machine = noisy_machine();
  SampledCase row = kSampledCases[0];
  row.most_visits = 1e7;
  EXPECT_EQ(simulate(exchange_of(row, 1), machine).ranks, row.layout.ranks);
  row.most_visits = 1;
  EXPECT_LT(simulate(exchange_of(row, 1), machine).ranks, row.layout.ranks);
  machine.waiting.noise_seconds = 0;
  row.distribution = "constant";
  const Outcome alike = simulate(exchange_of(row, 1), machine);
  EXPECT_EQ(alike.ranks, row.layout.per_node);
  EXPECT_EQ(alike.low_seconds, alike.high_seconds);
}

/// The largest of random numbers on a number of nodes.
template <class Draw>
double largest(int nodes, std::uint64_t seed, Draw&& draw) {
  double found = 0;
  for (int i = 0; i < 8 * nodes; ++i)
    found = std::max(found, draw(unit(random_bits(mix(seed), static_cast<std::uint64_t>(i)))));
  return found;
}

template <class Draw>
int intervals_with_the_largest(Draw&& draw) {
  constexpr int kNodes = 1024;
  int within = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    std::vector<simulate::Draw> draws;
    for (const int nodes : nodes_of_draws(kNodes, 200))
      draws.push_back({nodes, largest(nodes, 1000 * trial + draws.size(), draw)});
    const Interval found = extrapolated(draws, kNodes);
    const double all = largest(kNodes, 1000 * trial + 999, draw);
    within += found.low_seconds <= all && all <= found.high_seconds ? 1 : 0;
  }
  return within;
}

TEST(SimulatedSamples, IntervalHasTheLargestOfMoreNumbers) {
  EXPECT_GE(intervals_with_the_largest([](double u) { return -std::log(u); }), 180);
  EXPECT_GE(intervals_with_the_largest([](double u) { return 10 + normal_quantile(u); }), 180);
  EXPECT_GE(intervals_with_the_largest([](double u) { return u; }), 180);
}

/// Every simulated rank sends to one, and receives from one.
TEST(SimulatedSamples, StandInsReceiveAsManyMessagesAsTheySend) {
  const Layout layout = full_nodes(16, 4);
  for (const auto& group : {schedule::Group::ring(64), schedule::Group::torus(16, 4),
                            schedule::Group::exclusive_or(64)})
    for (const int nodes : {1, 2, 4, 8, 16}) {
      const Peers peers({.per_node = 4, .simulated = 4 * nodes}, layout, 3);
      for (int hop = 1; hop < 64; ++hop) {
        std::set<int> destinations;
        for (int source = 0; source < 4 * nodes; ++source) {
          const Way way = peers.way(source, hop, group);
          destinations.insert(way.destination);
          EXPECT_EQ(way.leaves, group.add(source, hop) / 4 != source / 4);
          EXPECT_EQ(peers.source_of(way.destination, hop, group), source);
        }
        EXPECT_EQ(destinations.size(), static_cast<std::size_t>(4 * nodes)) << nodes << " " << hop;
        EXPECT_TRUE(*destinations.begin() == 0 && *destinations.rbegin() == 4 * nodes - 1);
      }
    }
}

/// What is played and what is left out are all steps, and the steps that are left out differ by seed.
TEST(SimulatedSamples, LongSeriesArePlayedInPart) {
  constexpr std::size_t kSteps = 1 << 20;
  std::set<std::size_t> begins;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Series series(seed);
    std::size_t played = 0;
    for (std::size_t step = 0; step < kSteps; ++played) {
      step += 1 + series.play();
      EXPECT_TRUE(played >= 256 || step == played + 1);
      if (step > kSteps / 2 && step < kSteps) begins.insert(step % 128);
    }
    EXPECT_LT(played, 3000U) << seed;
    EXPECT_GT(played, 1000U) << seed;
  }
  EXPECT_GT(begins.size(), 100U);
}

}  // namespace
}  // namespace rondo::simulate
