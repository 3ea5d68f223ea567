// The work that costs count, compared with closed forms and with rows worked out by hand.
#include <gtest/gtest.h>

#include "closed_form.hpp"
#include "model/work.hpp"
#include "prices.hpp"
#include "registry/settings.hpp"

namespace rondo::model {
namespace {

using choice::Layout;

Work count(registry::Collective collective, std::string_view text, const Layout& layout,
           const Load& load) {
  return work_of(chosen(collective, text, layout), layout, load);
}

TEST(Work, MessagesAndBytesAreKAndD) {
  for (const int ranks : {2, 3, 8, 11, 100, 300, 4096})
    for (const int radix : {2, 3, 7, 64, 5000}) {
      SCOPED_TRACE(testing::Message() << "P=" << ranks << " r=" << radix);
      const Work bruck =
          count(kAlltoall, text("tunable_bruck:radix=", radix), own_nodes(ranks), {10});
      const auto blocks = static_cast<double>(blocks_of_bruck(ranks, radix));
      EXPECT_EQ(bruck.messages(), rounds_of_bruck(ranks, radix));
      EXPECT_EQ(bruck.bytes(), 10 * blocks);
      EXPECT_EQ(bruck.copied_blocks, 2 * ranks + 2 * blocks);
      EXPECT_EQ(bruck.copied_bytes, 10 * bruck.copied_blocks);
    }
}

/// The sums in the header of each algorithm's file. With P = 11 and radix 2, K = 4 and D = 17.
struct WorkRow {
  registry::Collective collective;
  const char* text;
  double messages;
  double bytes;
  double copied_blocks;
  double typed_blocks;
  double agreements;
};

TEST(Work, RowsWorkedByHand) {
  const WorkRow rows[] = {
      {kAlltoall, "mpi", 10, 1000, 1, 0, 0},
      {kAlltoall, "spread_out", 10, 1000, 1, 0, 0},
      {kAlltoall, "pairwise", 10, 1000, 1, 0, 0},
      {kAlltoall, "basic_bruck", 4, 1700, 22 + 34, 0, 0},
      {kAlltoall, "basic_bruck_dt", 4, 1700, 22 + 17 + 34, 34, 0},
      {kAlltoall, "modified_bruck", 4, 1700, 11 + 34, 0, 0},
      {kAlltoall, "modified_bruck_dt", 4, 1700, 11 + 17 + 34, 34, 0},
      {kAlltoall, "zero_copy_bruck_dt", 4, 1700, 11 + 34, 34, 0},
      {kAlltoall, "zero_rotation_bruck", 4, 1700, 1 + 34, 0, 0},
      {kAlltoall, "tunable_bruck:radix=3", 5, 1500, 22 + 30, 0, 0},
      {kAlltoallv, "mpi", 10, 1000, 1, 0, 0},
      {kAlltoallv, "spread_out", 10, 1000, 1, 0, 0},
      {kAlltoallv, "pairwise", 10, 1000, 1, 0, 0},
      {kAlltoallv, "padded_alltoall", 10, 1000, 22, 0, 1},
      {kAlltoallv, "padded_bruck", 4, 1700, 22 + 34, 0, 1},
      {kAlltoallv, "sloav", 8, 1700 + 8 * 17 + 8 * 4, 11 + 51, 0, 0},
      {kAlltoallv, "two_phase_bruck", 8, 1700 + 4 * 17, 1 + 34, 0, 1},
      {kAlltoallv, "fused_bruck:radix=2", 4, 1700 + 4 * 17 + 24 * 4, 11 + 17, 0, 0},
  };
  ASSERT_EQ(blocks_of_bruck(11, 2), 17);
  for (const WorkRow& row : rows) {
    SCOPED_TRACE(row.text);
    const Work done = count(row.collective, row.text, own_nodes(11), {100});
    EXPECT_EQ(done.messages(), row.messages);
    EXPECT_EQ(done.bytes(), row.bytes);
    EXPECT_EQ(done.copied_blocks, row.copied_blocks);
    EXPECT_EQ(done.typed_blocks, row.typed_blocks);
    EXPECT_EQ(done.agreements, row.agreements);
    EXPECT_EQ(done.arrivals, 0);
  }
}

TEST(Work, PaddedBlocksTravelWithSBytesWhateverTheirLengths) {
  const Layout layout = own_nodes(24);
  for (const char* name : {"padded_bruck", "padded_alltoall"}) {
    const Work uniform = count(kAlltoallv, name, layout, {100, Distribution::uniform});
    const Work constant = count(kAlltoallv, name, layout, {100, Distribution::constant});
    EXPECT_EQ(uniform.bytes(), constant.bytes()) << name;
    EXPECT_LT(uniform.copied_bytes, constant.copied_bytes) << name;
  }
  EXPECT_EQ(count(kAlltoallv, "spread_out", layout, {100, Distribution::uniform}).bytes(), 23 * 50);
  EXPECT_EQ(count(kAlltoall, "spread_out", layout, {100, Distribution::uniform}).bytes(), 23 * 100);
}

TEST(Work, BeyondThePaddingBoundIsSpreadOut) {
  const Layout layout = own_nodes(1024);
  const auto bound = static_cast<double>(registry::Settings{}.padding_bytes) / 1024;
  for (const char* name : {"padded_bruck", "padded_alltoall", "two_phase_bruck"}) {
    EXPECT_EQ(count(kAlltoallv, name, layout, {bound + 1}).messages(), 1023) << name;
    EXPECT_EQ(count(kAlltoallv, name, layout, {bound + 1}).bytes(), 1023 * (bound + 1)) << name;
    EXPECT_EQ(count(kAlltoallv, name, layout, {bound + 1}).agreements, 1) << name;
  }
  EXPECT_EQ(count(kAlltoallv, "padded_bruck", layout, {bound}).messages(), 10);
}

/// With P = 8 and radix 2 every round has 4 blocks: 24 + 16 + 4 S bytes, which are short up to 4000.
TEST(Work, LongFusedRoundsTakeASecondMessage) {
  EXPECT_EQ(count(kAlltoallv, "fused_bruck:radix=2", own_nodes(8), {990}).messages(), 3);
  EXPECT_EQ(count(kAlltoallv, "fused_bruck:radix=2", own_nodes(8), {991}).messages(), 6);
  // 2048 blocks, whose sizes allow longer data: 24 + 8 x 2048 bytes.
  EXPECT_EQ(count(kAlltoallv, "fused_bruck:radix=2", own_nodes(4096), {4}).messages(), 12);
  EXPECT_EQ(count(kAlltoallv, "fused_bruck:radix=2", own_nodes(4096), {5}).messages(), 24);
}

/// Counted rank by rank.
TEST(Work, HopsThatLeaveANodeAreCounted) {
  using schedule::Group;
  for (const Nodes& nodes : {Nodes{1, 8}, Nodes{2, 4}, Nodes{4, 2}, Nodes{8, 1}, Nodes{2, 8},
                             Nodes{3, 5}, Nodes{5, 3}, Nodes{7, 1}}) {
    const int ranks = nodes.nodes * nodes.per_node;
    std::vector<Group> groups{Group::ring(ranks), Group::torus(nodes.nodes, nodes.per_node)};
    if ((ranks & (ranks - 1)) == 0) groups.push_back(Group::exclusive_or(ranks));
    for (const Group& group : groups)
      for (int hop = 1; hop < ranks; ++hop) {
        int leaving = 0;
        for (int rank = 0; rank < ranks; ++rank)
          leaving += group.add(rank, hop) / nodes.per_node != rank / nodes.per_node ? 1 : 0;
        EXPECT_EQ(crossing(group, nodes, hop) * nodes.nodes, leaving)
            << nodes.nodes << " x " << nodes.per_node << " hop " << hop;
      }
  }
}

TEST(Work, StraightMessagesLeaveTheNodeWhereTheirRankIsOnAnother) {
  for (const char* name : {"spread_out", "mpi"}) {
    const Work straight = count(kAlltoall, name, {12, 3, 4}, {10});
    EXPECT_EQ(straight.inside.messages, 3);
    EXPECT_EQ(straight.inside.bytes, 30);
    EXPECT_EQ(straight.between.messages, 8);
    EXPECT_EQ(straight.between.bytes, 80);
    EXPECT_EQ(straight.node_bytes, 4 * 80);
    EXPECT_EQ(straight.waits(), 1);
    const Work closed = work_of_straight(12, 4, 1, 10);
    EXPECT_EQ(closed.inside.messages, 3);
    EXPECT_EQ(closed.between.messages, 8);
    EXPECT_EQ(closed.bytes(), straight.bytes());
    EXPECT_EQ(closed.node_bytes, straight.node_bytes);
    EXPECT_EQ(closed.waits(), 1);
  }
}

/// 3 nodes of 4 ranks. In radix 4 the hops 1, 2, 3 of the first digit, of 3 blocks each, leave the
/// node for 1, 2 and 3 of its ranks: 6 of 12 messages, 2 of the 3 of the slowest rank. The hops 4
/// and 8 leave it for all.
TEST(Work, BatchesAreAsSlowAsTheirRankWithMostMessagesToOtherNodes) {
  const Layout layout{12, 3, 4};
  const Work batched = count(kAlltoall, "tunable_bruck:radix=4", layout, {10});
  EXPECT_EQ(batched.inside.messages, 1);
  EXPECT_EQ(batched.inside.bytes, 30);
  EXPECT_EQ(batched.between.messages, 2 + 2);
  EXPECT_EQ(batched.between.bytes, 60 + 80);
  EXPECT_EQ(batched.between.waits, 2);
  EXPECT_EQ(batched.node_bytes, 6 * 30 + 4 * 80);
  // Hops 1 and 2 with 3 and 2 blocks: 3 of 4 messages, both of the slowest rank, and all bytes.
  EXPECT_EQ(count(kAlltoall, "tunable_bruck:radix=3", {8, 4, 2}, {10}).inside.bytes, 0);
  // One at a time, all of them wait for a rank whose message leaves its node.
  const Work single = count(kAlltoall, "tunable_bruck:radix=4:ports=1", layout, {10});
  EXPECT_EQ(single.inside.messages, 0);
  EXPECT_EQ(single.between.messages, 5);
  EXPECT_EQ(single.between.bytes, batched.bytes());
  EXPECT_EQ(single.node_bytes, batched.node_bytes);
}

TEST(Work, TwoLayersSendInTheNodeAndBetweenNodes) {
  const LayerRadices radices{4, 3};
  const Work layered = count(kAlltoall, "two_layer_bruck:intra=4:inter=3", {176, 11, 16}, {10});
  EXPECT_EQ(layered.inside.messages, rounds_of_bruck(16, radices.intra));
  EXPECT_EQ(layered.inside.bytes, 10.0 * 11 * static_cast<double>(blocks_of_bruck(16, 4)));
  EXPECT_EQ(layered.between.messages, rounds_of_bruck(11, radices.inter));
  EXPECT_EQ(layered.between.bytes, 10.0 * 16 * static_cast<double>(blocks_of_bruck(11, 3)));
  EXPECT_EQ(layered.node_bytes, 16 * layered.between.bytes);
  EXPECT_EQ(layered.bytes(), 10 * static_cast<double>(blocks_of_two_layer(11, 16, radices)));
  // A flat schedule sends K messages to other nodes, a layered one only some of as many.
  const Work flat = count(kAlltoall, "tunable_bruck:radix=4", {176, 11, 16}, {10});
  EXPECT_GT(flat.between.messages, layered.between.messages);
}

TEST(Work, OneLayerIsTunableBruck) {
  const Load load{10};
  const Work in_node = count(kAlltoall, "two_layer_bruck:intra=3", one_node(20), load);
  const Work between = count(kAlltoall, "two_layer_bruck:inter=3", own_nodes(20), load);
  const Work inside = count(kAlltoall, "tunable_bruck:radix=3", one_node(20), load);
  EXPECT_EQ(in_node.inside.messages, inside.messages());
  EXPECT_EQ(in_node.inside.bytes, inside.bytes());
  EXPECT_EQ(in_node.between.messages, 0);
  EXPECT_EQ(between.between.messages, inside.messages());
  EXPECT_EQ(between.between.bytes, inside.bytes());
  EXPECT_EQ(between.inside.messages, 0);
}

TEST(Split, SharesAddUp) {
  for (const double length : {1.0, 100.0, 8192.0, 1e6})
    for (const double threshold : {0.0, 1.0, 100.0, 5000.0, 1e9}) {
      const SplitLoad uniform = split({length, Distribution::uniform}, threshold);
      EXPECT_DOUBLE_EQ(uniform.mean_bytes + uniform.long_share * uniform.long_mean_bytes,
                       length / 2);
      EXPECT_EQ(uniform.largest_bytes, std::min(length, threshold));
      const SplitLoad constant = split({length, Distribution::constant}, threshold);
      EXPECT_EQ(constant.mean_bytes + constant.long_share * constant.long_mean_bytes, length);
      EXPECT_EQ(constant.long_share, length > threshold ? 1 : 0);
    }
}

TEST(Work, BlocksPastTheThresholdGoStraight) {
  const Layout layout = own_nodes(16);
  const Work split = count(kAlltoall, "basic_bruck:threshold=100", layout, {101});
  EXPECT_EQ(split.messages(), 4 + 15);  // empty rounds are still sent
  EXPECT_EQ(split.bytes(), 15 * 101);
  EXPECT_EQ(split.copied_bytes, 101);  // the rank's own
  EXPECT_EQ(count(kAlltoall, "basic_bruck:threshold=100", layout, {100}).messages(), 4);
  // Half of the blocks are longer, 150 bytes on average; the others have 50.
  const Load uniform{200, Distribution::uniform};
  const Work half = count(kAlltoallv, "two_phase_bruck:threshold=100", layout, uniform);
  EXPECT_EQ(half.messages(), 2 * 4 + 7.5);
  EXPECT_EQ(half.bytes(), 32 * (25 + 4) + 7.5 * 150);
  EXPECT_EQ(half.waits(), 2 * 4 + 1);
}

}  // namespace
}  // namespace rondo::model
