// What `auto` chooses for neighbourhood exchanges: as measured, and for the reasons that there are.
#include "select/edges.hpp"

#include <gtest/gtest.h>

namespace rondo::select {
namespace {

using choice::Layout;

constexpr EdgePlace kAnywhere{.has_node = true, .may_forward = true};

std::string_view decided(const Layout& layout, const EdgeLoad& load,
                         const EdgePlace& place = kAnywhere) {
  return decide_on_edges(layout, load, place, model::typical_cluster()).choice.algorithm->name;
}

Layout one_node(int ranks) {
  return {.ranks = ranks, .nodes = 1, .per_node = ranks};
}

struct InsideRow {
  int ranks;
  double peers;
  double bytes;
  std::string_view faster;
};

/// Measured on 2 cores with Open MPI 4.1, apart from what differed by less than a tenth.
const InsideRow kInside[] = {
    {2, 1, 8, "mpi"},
    {2, 1, 512, "node_aware"},
    {2, 1, 4096, "node_aware"},
    {4, 2, 8, "mpi"},
    {4, 2, 512, "node_aware"},
    {4, 2, 4096, "node_aware"},
    {4, 3, 512, "node_aware"},
    {8, 3, 8, "mpi"},
    {8, 3, 4096, "node_aware"},
    {8, 7, 8, "node_aware"},
    {8, 7, 4096, "node_aware"},
    {16, 4, 8, "mpi"},
    {16, 4, 4096, "node_aware"},
    {16, 11, 8, "node_aware"},
    {16, 11, 512, "node_aware"},
};

TEST(Edges, TheFasterOneIsChosenOnANode) {
  for (const InsideRow& row : kInside)
    EXPECT_EQ(decided(one_node(row.ranks), {.inside = row.peers, .block_bytes = row.bytes}),
              row.faster)
        << row.ranks << " ranks, " << row.peers << " peers, " << row.bytes << " bytes";
}

TEST(Edges, OneMessageForEachPairOfNodesBeatsMany) {
  // A stencil of 27 points on 4 nodes of 8 ranks.
  const Layout layout{.ranks = 32, .nodes = 4, .per_node = 8};
  for (const double bytes : {8, 512, 4096})
    EXPECT_EQ(
        decided(layout,
                {.inside = 7, .between = 19, .messages = 1, .carried = 60, .block_bytes = bytes}),
        "node_aware")
        << bytes;
  // One short block to another node, which a leader would have to carry.
  EXPECT_EQ(decided(layout, {.between = 1, .messages = 1, .carried = 8, .block_bytes = 8}), "mpi");
}

TEST(Edges, OnlyWhatMayRunIsChosen) {
  const EdgeLoad many{.inside = 15, .block_bytes = 64};
  EXPECT_EQ(decided(one_node(16), many, {.has_node = false, .may_forward = true}), "mpi");
  EXPECT_EQ(decided(one_node(16), many, {.has_node = false, .may_forward = false}), "spread_out");
  const EdgeLoad few{.inside = 1, .block_bytes = 8};
  EXPECT_EQ(decided(one_node(16), few), "mpi");
  EXPECT_EQ(decided(one_node(16), few, {.has_node = true, .may_forward = false}), "spread_out");
}

TEST(Edges, TheReasonNamesTheOther) {
  const EdgeDecision decision = decide_on_edges(one_node(16), {.inside = 15, .block_bytes = 64},
                                                kAnywhere, model::typical_cluster());
  EXPECT_TRUE(decision.reason.starts_with("predicted: ")) << decision.reason;
  EXPECT_TRUE(decision.reason.ends_with("(mpi)")) << decision.reason;
}

TEST(Edges, WorkGrowsWithEachNumberOfTheLoad) {
  const Layout layout{.ranks = 32, .nodes = 4, .per_node = 8};
  const model::Prices prices = model::loggp(model::typical_cluster());
  const EdgeLoad load{.inside = 4, .between = 6, .messages = 2, .carried = 20, .block_bytes = 100};
  for (const char* name : {"node_aware", "spread_out"}) {
    const auto choice =
        choice::resolve(choice::parse(registry::Collective::neighbor_alltoallv, name), layout);
    const auto seconds = [&](const EdgeLoad& one) {
      return model::price(work_on_edges(choice, layout, one), layout, prices).total();
    };
    EdgeLoad inside = load, between = load, bytes = load;
    inside.inside += 1;
    between.between += 1;
    bytes.block_bytes += 50;
    for (const EdgeLoad& more : {inside, between, bytes}) EXPECT_GT(seconds(more), seconds(load));
  }
}

}  // namespace
}  // namespace rondo::select
