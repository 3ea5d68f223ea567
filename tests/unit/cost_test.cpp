// Costs of every row: their bounds and limits, and how they change when a price or a length grows.
#include "model/cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "closed_form.hpp"
#include "prices.hpp"

namespace rondo::model {
namespace {

using choice::Layout;
using registry::Collective;

constexpr Collective kCollectives[] = {kAlltoall, kAlltoallv};
constexpr Distribution kDistributions[] = {Distribution::constant, Distribution::uniform};

/// All layouts of `ranks` on equal nodes, and one on unequal nodes.
std::vector<Layout> layouts(int ranks) {
  std::vector<Layout> all;
  for (int nodes = 1; nodes <= ranks; ++nodes)
    if (ranks % nodes == 0) all.push_back({ranks, nodes, ranks / nodes});
  if (ranks > 2) all.push_back({ranks, ranks, 1, (ranks + 1) / 2});
  return all;
}

template <class Visit>
void for_each_case(int ranks, Visit&& visit) {
  for (const Layout& layout : layouts(ranks))
    for (const Collective collective : kCollectives)
      for (const choice::Choice& choice : all_choices(collective, layout)) {
        SCOPED_TRACE(testing::Message() << registry::to_string(collective) << " " << choice.text()
                                        << " P=" << layout.ranks << " N=" << layout.real_nodes());
        visit(choice, layout);
      }
}

TEST(Cost, OfEveryRowIsFiniteAndPositive) {
  const Prices prices[] = {hockney(typical_cluster()), loggp(typical_cluster())};
  for (int ranks = 1; ranks <= 64; ++ranks)
    for_each_case(ranks, [&](const choice::Choice& choice, const Layout& layout) {
      for (const double bytes : {1.0, 400.0, 1e5})
        for (const Distribution distribution : kDistributions)
          for (const Prices& price : prices) {
            const Cost cost = predict(choice, layout, {bytes, distribution}, price).cost;
            ASSERT_TRUE(std::isfinite(cost.total()));
            ASSERT_GT(cost.total(), 0);
            for (const double part : {cost.latency, cost.bandwidth, cost.copies, cost.arrivals,
                                      cost.switches, cost.agreement})
              ASSERT_GE(part, 0);
          }
    });
}

TEST(Cost, OfOneRankIsItsCopies) {
  for_each_case(1, [](const choice::Choice& choice, const Layout& layout) {
    const Prediction alone = predict(choice, layout, {400}, loggp(typical_cluster()));
    EXPECT_EQ(alone.work.messages(), 0);
    EXPECT_EQ(alone.cost.total(), alone.cost.copies);
  });
}

TEST(Cost, OfTwoRanksIsOneBlockOnItsWay) {
  const Layout layout = own_nodes(2);
  for_each_case(2, [&](const choice::Choice& choice, const Layout& placed) {
    if (choice.algorithm->shape == registry::Shape::node || placed.nodes == 1) return;
    const Work work = work_of(choice, layout, {400});
    const int messages =
        choice.algorithm->handling.second == registry::SecondMessage::always ? 2 : 1;
    EXPECT_EQ(work.messages(), messages);
    EXPECT_EQ(work.bytes(), 400 + choice.algorithm->handling.size_bytes +
                                choice.algorithm->handling.header_bytes);
  });
}

/// For blocks below all default thresholds and the bound on padding.
TEST(Cost, GrowsWithTheBlocks) {
  for (const int ranks : {2, 7, 24, 64})
    for_each_case(ranks, [](const choice::Choice& choice, const Layout& layout) {
      for (const Distribution distribution : kDistributions) {
        double before = 0;
        for (double bytes = 1; bytes <= 8192; bytes *= 2) {
          const double seconds =
              predict(choice, layout, {bytes, distribution}, loggp(typical_cluster())).cost.total();
          ASSERT_GT(seconds, before) << "S=" << bytes;
          before = seconds;
        }
      }
    });
}

TEST(Cost, GrowsWithEveryPrice) {
  const Prices plain = loggp(typical_cluster());
  const auto grown = [&](auto&& grow) {
    Prices prices = plain;
    grow(prices);
    return prices;
  };
  const Prices dearer[] = {
      grown([](Prices& p) { p.inside.message_seconds *= 2; }),
      grown([](Prices& p) { p.inside.seconds_per_byte *= 2; }),
      grown([](Prices& p) { p.between.message_seconds *= 2; }),
      grown([](Prices& p) { p.between.seconds_per_byte *= 2; }),
      grown([](Prices& p) { p.host.adapter_seconds_per_byte *= 2; }),
      grown([](Prices& p) { p.host.copy_seconds_per_byte *= 2; }),
      grown([](Prices& p) { p.host.copy_seconds_per_block *= 2; }),
      grown([](Prices& p) { p.host.typed_seconds_per_block *= 2; }),
      grown([](Prices& p) { p.host.arrival_seconds *= 2; }),
      grown([](Prices& p) { p.host.cores = 3; }),
  };
  std::array<bool, std::size(dearer)> has_grown{};
  for_each_case(24, [&](const choice::Choice& choice, const Layout& layout) {
    const double before = predict(choice, layout, {400}, plain).cost.total();
    for (std::size_t i = 0; i < std::size(dearer); ++i) {
      const double after = predict(choice, layout, {400}, dearer[i]).cost.total();
      ASSERT_GE(after, before) << "price " << i;
      has_grown[i] = has_grown[i] || after > before;
    }
  });
  for (std::size_t i = 0; i < std::size(dearer); ++i) EXPECT_TRUE(has_grown[i]) << "price " << i;
}

TEST(Cost, LogGpWithMatchingParametersIsHockneys) {
  Machine machine = typical_cluster();
  for (Link* link : {&machine.inside, &machine.between}) {
    link->loggp.gap_seconds = link->loggp.latency_seconds + 2 * link->loggp.overhead_seconds;
    link->hockney = {link->loggp.gap_seconds, link->loggp.gap_seconds_per_byte};
  }
  for_each_case(24, [&](const choice::Choice& choice, const Layout& layout) {
    const Work work = work_of(choice, layout, {400, Distribution::uniform});
    const Cost by_hockney = price(work, layout, hockney(machine));
    const Cost by_loggp = price(work, layout, loggp(machine));
    EXPECT_NEAR(by_loggp.latency, by_hockney.latency, 1e-12 * by_hockney.latency);
    EXPECT_EQ(by_loggp.bandwidth, by_hockney.bandwidth);
  });
}

TEST(Cost, OneMessageTakesAsLongByEitherModelOnTheTypicalCluster) {
  const Machine machine = typical_cluster();
  for (const Link& link : {machine.inside, machine.between}) {
    EXPECT_DOUBLE_EQ(link.loggp.latency_seconds + 2 * link.loggp.overhead_seconds,
                     link.hockney.alpha_seconds);
    EXPECT_EQ(link.loggp.gap_seconds_per_byte, link.hockney.beta_seconds_per_byte);
  }
}

/// L + 2 o once a batch, and max(g, 2 o) for every further message of it.
TEST(Cost, MessagesInFlightTogetherShareTheirLatency) {
  Machine machine = typical_cluster();
  machine.between.loggp = {
      .latency_seconds = 10, .overhead_seconds = 2, .gap_seconds = 3, .gap_seconds_per_byte = 0};
  const Layout layout = own_nodes(9);
  const auto latency = [&](const char* text) {
    return predict(chosen(kAlltoall, text, layout), layout, {1}, loggp(machine)).cost.latency;
  };
  EXPECT_DOUBLE_EQ(latency("spread_out"), 14 + 7 * 4);
  EXPECT_DOUBLE_EQ(latency("spread_out:window=3"), 3 * 14 + 5 * 4);
  EXPECT_DOUBLE_EQ(latency("pairwise"), 8 * 14);
  EXPECT_DOUBLE_EQ(latency("tunable_bruck:radix=3"), 2 * (14 + 4));
  EXPECT_DOUBLE_EQ(latency("tunable_bruck:radix=3:ports=1"), 4 * 14);
  machine.between.loggp.gap_seconds = 5;
  EXPECT_DOUBLE_EQ(latency("spread_out"), 14 + 7 * 5);
}

TEST(Cost, RanksThatShareCoresTakeTurns) {
  Prices prices = messages_only(1, 0);
  prices.host.switch_seconds = 100;
  const Layout layout = one_node(12);
  const auto cost = [&](const char* text) {
    return predict(chosen(kAlltoall, text, layout), layout, {1}, prices).cost;
  };
  prices.host.cores = 12;
  EXPECT_EQ(cost("spread_out").latency, 11);
  EXPECT_EQ(cost("spread_out").switches, 0);
  prices.host.cores = 4;
  EXPECT_EQ(cost("spread_out").latency, 3 * 11);
  EXPECT_EQ(cost("spread_out").switches, 3 * 100);
  EXPECT_EQ(cost("pairwise").switches, 3 * 11 * 100);
  EXPECT_EQ(cost("node_aware").switches, 3 * 100);
  prices.host.arrival_seconds = 1;
  prices.host.copy_seconds_per_block = 1;
  EXPECT_EQ(cost("node_aware").arrivals, 3 * 11);
  EXPECT_EQ(cost("node_aware").copies, 3 * (2 * 11 + 1));
}

/// All bytes that a node's ranks send pass one adapter.
TEST(Cost, AdapterBoundsWhatANodeSends) {
  Prices prices = messages_only(0, 1);
  const Layout layout{12, 3, 4};
  const auto bandwidth = [&] {
    return predict(chosen(kAlltoall, "spread_out", layout), layout, {10}, prices).cost.bandwidth;
  };
  EXPECT_EQ(bandwidth(), 3 * 10 + 8 * 10);
  prices.host.adapter_seconds_per_byte = 0.5;
  EXPECT_EQ(bandwidth(), 3 * 10 + 4 * 8 * 10 * 0.5);
}

TEST(Cost, OfAgreementIsAnAllreduceByDoublingDistances) {
  const auto agreement = [](const Layout& layout, const Prices& prices) {
    return predict(chosen(kAlltoallv, "padded_bruck", layout), layout, {100}, prices)
        .cost.agreement;
  };
  EXPECT_EQ(agreement(own_nodes(300), messages_only(1, 0)), 9);
  EXPECT_EQ(agreement(own_nodes(300), messages_only(0, 1)), 9 * 8);
  EXPECT_EQ(agreement({12, 3, 4}, messages_only(1, 0)), 2 + 2);
  EXPECT_EQ(agreement(one_node(1), messages_only(1, 1)), 0);
  Work twice;
  twice.agreements = 2;
  EXPECT_EQ(price(twice, own_nodes(300), messages_only(1, 0)).total(), 2 * 9);
}

}  // namespace
}  // namespace rondo::model
