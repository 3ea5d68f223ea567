// What `auto` runs for sparse exchanges, and what they are predicted to cost.
#include <gtest/gtest.h>

#include "model/cost.hpp"
#include "select/decide.hpp"

namespace rondo::select {
namespace {

using choice::Layout;

struct Row {
  Layout layout;
  bool has_node;
  std::string_view fastest;
};

/// Those up to 32 ranks are measured, with 1 to 32 partners a rank; larger ones are simulated.
const Row kRows[] = {
    {{.ranks = 2, .nodes = 1, .per_node = 2}, true, "node_aware"},
    {{.ranks = 8, .nodes = 1, .per_node = 8}, true, "node_aware"},
    {{.ranks = 32, .nodes = 1, .per_node = 32}, true, "node_aware"},
    {{.ranks = 32, .nodes = 1, .per_node = 32}, false, "fused_bruck"},
    {{.ranks = 8, .nodes = 4, .per_node = 2}, true, "fused_bruck"},
    {{.ranks = 16, .nodes = 8, .per_node = 2}, true, "fused_bruck"},
    {{.ranks = 32, .nodes = 16, .per_node = 2}, true, "node_aware"},
    {{.ranks = 16, .nodes = 4, .per_node = 4}, true, "node_aware"},
    {{.ranks = 32, .nodes = 4, .per_node = 8}, true, "node_aware"},
    {{.ranks = 31, .nodes = 31, .per_node = 1, .uneven_nodes = 4}, true, "node_aware"},
    {{.ranks = 4, .nodes = 4, .per_node = 1}, true, "fused_bruck"},
    {{.ranks = 64, .nodes = 64, .per_node = 1}, true, "nbx"},
    {{.ranks = 64, .nodes = 1, .per_node = 64}, true, "node_aware"},
    {{.ranks = 1024, .nodes = 128, .per_node = 8}, true, "node_aware"},
    {{.ranks = 2048, .nodes = 256, .per_node = 8}, true, "nbx"},
    {{.ranks = 64, .nodes = 8, .per_node = 8}, false, "nbx"},
};

TEST(Sparse, TheFastestIsChosenOnEveryLayout) {
  for (const Row& row : kRows)
    EXPECT_EQ(
        decide_sparse({.layout = row.layout, .has_node = row.has_node}).choice.algorithm->name,
        row.fastest)
        << row.layout.ranks << " ranks on " << row.layout.real_nodes() << " nodes";
}

model::Contest with_partners(const Layout& layout, double partners) {
  return {
      .layout = layout, .prices = model::hockney(model::typical_cluster()), .partners = partners};
}

model::Prediction predicted_of(registry::Collective collective, std::string_view name,
                               const model::Contest& contest) {
  const registry::Algorithm* const row = registry::find(collective, name);
  return contest.predict(choice::resolve({.algorithm = row}, contest.layout), 64);
}

model::Work work_with(std::string_view name, int ranks, double partners) {
  const Layout layout{.ranks = ranks, .nodes = ranks, .per_node = 1};
  return predicted_of(registry::Collective::sparse_alltoallv, name, with_partners(layout, partners))
      .work;
}

/// Of 64 ranks, whose doublings are 6, with 4 partners, and blocks of 64 bytes behind 8.
TEST(Sparse, MessagesAndBytesAreThoseOfTheDiscoveryAndOfThePartners) {
  const double blocks = 4 * 72;
  EXPECT_DOUBLE_EQ(work_with("nbx", 64, 4).messages(), 6 + 4 + 4);
  EXPECT_DOUBLE_EQ(work_with("nbx", 64, 4).bytes(), 6 * 16 + blocks);
  EXPECT_DOUBLE_EQ(work_with("personalized", 64, 4).messages(), 6 + 4);
  EXPECT_DOUBLE_EQ(work_with("personalized", 64, 4).bytes(), 8 * 64 + blocks);
  EXPECT_DOUBLE_EQ(work_with("mpi", 64, 4).messages(), 6 + 4);
  EXPECT_DOUBLE_EQ(work_with("mpi", 64, 4).bytes(), 6 * 8 * 32 + 4 * 64);
}

TEST(Sparse, MorePartnersThanThereAreRanksAreAll) {
  EXPECT_DOUBLE_EQ(work_with("nbx", 8, 100).bytes(), work_with("nbx", 8, 7).bytes());
  EXPECT_DOUBLE_EQ(work_with("nbx", 8, 0).bytes(), work_with("nbx", 8, 7).bytes());
  EXPECT_DOUBLE_EQ(work_with("nbx", 1, 4).messages(), 0);
}

TEST(Sparse, FusedBruckCarriesOnlyBlocksThatAreThere) {
  const double of_all = work_with("fused_bruck", 64, 0).bytes();
  const double of_four = work_with("fused_bruck", 64, 4).bytes();
  const model::Work none = model::work_of(
      choice::resolve(
          {.algorithm = registry::find(registry::Collective::sparse_alltoallv, "fused_bruck")},
          {.ranks = 64, .nodes = 64, .per_node = 1}),
      {.ranks = 64, .nodes = 64, .per_node = 1}, {.block_bytes = 64, .share = 0});
  EXPECT_NEAR(of_four - none.bytes(), (of_all - none.bytes()) * 4 / 63, 1e-6);
}

TEST(Dynamic, AnAlltoallOfLengthsComesFirstUnlessMessagesCarryThem) {
  const Layout layout{.ranks = 64, .nodes = 64, .per_node = 1};
  model::Contest contest = with_partners(layout, 0);
  const auto seconds = [&](std::string_view name) {
    return predicted_of(registry::Collective::alltoallv, name, contest).cost.total();
  };
  const double fused = seconds("fused_bruck");
  const double straight = seconds("spread_out");
  contest.is_dynamic = true;
  EXPECT_DOUBLE_EQ(seconds("fused_bruck"), fused);
  EXPECT_GT(seconds("spread_out"), straight);
  contest.layout = {.ranks = 64, .nodes = 8, .per_node = 8};
  const double node_aware = seconds("node_aware");
  contest.is_dynamic = false;
  EXPECT_DOUBLE_EQ(seconds("node_aware"), node_aware);
}

TEST(Edges, RandomOnesAreSharedOutBetweenTheNodes) {
  const Layout layout{.ranks = 8, .nodes = 4, .per_node = 2};
  const model::EdgeLoad all = model::random_edges(layout, {.block_bytes = 64}, 1024);
  EXPECT_DOUBLE_EQ(all.inside.blocks, 1);
  EXPECT_DOUBLE_EQ(all.between.blocks, 6);
  EXPECT_DOUBLE_EQ(all.mean_between.bytes, 6 * 64);
  EXPECT_DOUBLE_EQ(all.between.long_blocks, 0);
  EXPECT_DOUBLE_EQ(all.messages, 2);  // to 3 nodes, which 2 leaders share
  EXPECT_DOUBLE_EQ(all.carried, 2 * 2 * 2);
  const model::EdgeLoad few =
      model::random_edges(layout, {.block_bytes = 64, .share = 1.0 / 7}, 32);
  EXPECT_DOUBLE_EQ(few.inside.blocks + few.between.blocks, 1);
  EXPECT_DOUBLE_EQ(few.inside.long_bytes + few.between.long_bytes, 64);
  // A node's ranks draw 2 of the 7 other ranks; each of the 3 other nodes has 2 of them.
  EXPECT_NEAR(few.messages, 2 * (1 - 5.0 / 7 * 5.0 / 7), 1e-9);
  const model::EdgeLoad alone = model::random_edges({}, {.block_bytes = 64}, 1024);
  EXPECT_DOUBLE_EQ(alone.inside.blocks + alone.between.blocks + alone.messages, 0);
}

TEST(Edges, PredictionsAreOfRandomEdges) {
  const Layout layout{.ranks = 32, .nodes = 4, .per_node = 8};
  const auto predicted = [&](std::string_view name, double partners) {
    return predicted_of(registry::Collective::neighbor_alltoallv, name,
                        with_partners(layout, partners));
  };
  EXPECT_DOUBLE_EQ(predicted("spread_out", 4).work.bytes(), 4 * 64);
  EXPECT_GT(predicted("spread_out", 20).cost.total(), predicted("node_aware", 20).cost.total());
}

}  // namespace
}  // namespace rondo::select
