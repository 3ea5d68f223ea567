// What `auto` chooses for neighbourhood exchanges: as measured, and for the reasons that there are.
#include <gtest/gtest.h>

#include "select/decide.hpp"

namespace rondo::select {
namespace {

using choice::Layout;

/// What is known of a place besides its layout.
struct Terms {
  bool has_node = true;
  bool may_forward = true;
};

Place place_of(const Layout& layout, const Terms& terms) {
  return {.layout = layout, .has_node = terms.has_node, .may_forward = terms.may_forward};
}

std::string_view decided(const Layout& layout, const EdgeLoad& load, const Terms& terms = {}) {
  return decide_on_edges(place_of(layout, terms), load, model::typical_cluster())
      .choice.algorithm->name;
}

Layout one_node(int ranks) {
  return {.ranks = ranks, .nodes = 1, .per_node = ranks};
}

/// So many blocks of one length.
EdgeBlocks blocks(double number, double bytes) {
  const bool is_long = bytes > 16384;
  return {.edges = number,
          .blocks = number,
          .bytes = number * bytes,
          .long_blocks = is_long ? number : 0,
          .long_bytes = is_long ? number * bytes : 0};
}

EdgeLoad inside_load(double number, double bytes) {
  return {.inside = blocks(number, bytes)};
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
    EXPECT_EQ(decided(one_node(row.ranks), inside_load(row.peers, row.bytes)), row.faster)
        << row.ranks << " ranks, " << row.peers << " peers, " << row.bytes << " bytes";
}

/// An edge of a rank with itself, or a second one to the same rank, is a message of the MPI library only.
TEST(Edges, EdgesThatAreJoinedCount) {
  EdgeLoad load = inside_load(1, 8);
  EXPECT_EQ(decided(one_node(2), load), "mpi");
  load.own_edges = 1;
  EXPECT_EQ(decided(one_node(2), load), "node_aware");
  load.own_edges = 0;
  load.inside.edges = 3;
  EXPECT_EQ(decided(one_node(2), load), "node_aware");
  EXPECT_EQ(decided(one_node(2), load, {.has_node = true, .may_forward = false}), "spread_out");
}

/// 4 nodes of 8 ranks.
constexpr Layout kCluster{.ranks = 32, .nodes = 4, .per_node = 8};

TEST(Edges, OneMessageForEachPairOfNodesBeatsMany) {
  // A stencil of 27 points.
  for (const double bytes : {8, 512, 4096})
    EXPECT_EQ(decided(kCluster, {.inside = blocks(7, bytes),
                                 .between = blocks(19, bytes),
                                 .mean_between = blocks(19, bytes),
                                 .messages = 1,
                                 .carried = 60}),
              "node_aware")
        << bytes;
  // One short block to another node, which a leader would have to carry.
  EXPECT_EQ(
      decided(kCluster,
              {.between = blocks(1, 8), .mean_between = blocks(1, 8), .messages = 1, .carried = 8}),
      "mpi");
}

/// Faces of 4 KiB, whose edges and corners are short: node_aware was measured to be 2.9 times as fast as
/// the MPI library. With as many blocks that are all as long as two faces, the messages between nodes
/// would have so many bytes that their number does not matter.
TEST(Edges, FewLongBlocksAmongManyShortOnesDoNotDecide) {
  const EdgeBlocks shares{.edges = 12, .blocks = 12, .bytes = 2 * 4096 + 10 * 176};
  const EdgeLoad mesh{.inside = {.edges = 5, .blocks = 5, .bytes = 3 * 8192},
                      .between = shares,
                      .mean_between = shares,
                      .messages = 1,
                      .carried = 48};
  EXPECT_EQ(decided(kCluster, mesh), "node_aware");
  EdgeLoad all_long = mesh;
  all_long.inside = blocks(5, 8192);
  all_long.between = all_long.mean_between = blocks(12, 8192);
  const auto seconds = [](const EdgeLoad& load, std::string_view name) {
    const auto choice = choice::resolve(
        {.algorithm = registry::find(registry::Collective::neighbor_alltoallv, std::string(name))},
        kCluster);
    const model::Prices prices = model::loggp(model::typical_cluster());
    return model::price(work_on_edges(choice, kCluster, load), kCluster, prices).total();
  };
  EXPECT_LT(seconds(mesh, "node_aware") / seconds(mesh, "spread_out"),
            seconds(all_long, "node_aware") / seconds(all_long, "spread_out"));
}

/// A long block goes from rank to rank between nodes; only its length is in the message.
TEST(Edges, ALeaderCarriesOnlyShortBlocks) {
  const auto choice = choice::resolve(
      choice::parse(registry::Collective::neighbor_alltoallv, "node_aware"), kCluster);
  const EdgeLoad load{
      .between = blocks(3, 1e6), .mean_between = blocks(3, 1e6), .messages = 1, .carried = 24};
  const model::Work work = work_on_edges(choice, kCluster, load);
  EXPECT_EQ(work.between.messages, 1 + 3);
  EXPECT_GT(work.between.bytes, 3e6);
  EXPECT_LT(work.between.bytes, 3e6 + 24 * 16);
  EXPECT_LT(work.copied_bytes, 1000);
}

TEST(Edges, OnlyWhatMayRunIsChosen) {
  const EdgeLoad many = inside_load(15, 64);
  EXPECT_EQ(decided(one_node(16), many, {.has_node = false, .may_forward = true}), "mpi");
  EXPECT_EQ(decided(one_node(16), many, {.has_node = false, .may_forward = false}), "spread_out");
  const EdgeLoad few = inside_load(1, 8);
  EXPECT_EQ(decided(one_node(16), few), "mpi");
  EXPECT_EQ(decided(one_node(16), few, {.has_node = true, .may_forward = false}), "spread_out");
}

TEST(Edges, TheReasonNamesTheOther) {
  const Decision decision =
      decide_on_edges(place_of(one_node(16), {}), inside_load(15, 64), model::typical_cluster());
  EXPECT_TRUE(decision.reason.starts_with("predicted: ")) << decision.reason;
  EXPECT_TRUE(decision.reason.ends_with("(mpi)")) << decision.reason;
}

TEST(Edges, WorkGrowsWithEachNumberOfTheLoad) {
  const model::Prices prices = model::loggp(model::typical_cluster());
  const EdgeLoad load{.inside = blocks(4, 100),
                      .between = blocks(6, 100),
                      .mean_between = blocks(5, 100),
                      .messages = 2,
                      .carried = 20};
  for (const char* name : {"node_aware", "spread_out"}) {
    const auto choice =
        choice::resolve(choice::parse(registry::Collective::neighbor_alltoallv, name), kCluster);
    const auto seconds = [&](const EdgeLoad& one) {
      return model::price(work_on_edges(choice, kCluster, one), kCluster, prices).total();
    };
    EdgeLoad inside = load, between = load, inside_bytes = load, between_bytes = load;
    inside.inside.blocks += 1;
    between.between.blocks += 1;
    between.mean_between.blocks += 1;
    inside_bytes.inside.bytes += 50;
    between_bytes.between.bytes += 50;
    between_bytes.mean_between.bytes += 50;
    for (const EdgeLoad& more : {inside, between, inside_bytes, between_bytes})
      EXPECT_GT(seconds(more), seconds(load));
  }
}

}  // namespace
}  // namespace rondo::select
