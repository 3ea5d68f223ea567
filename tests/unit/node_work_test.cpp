// The cost of algorithms that use a node's memory, worked out by hand.
#include <gtest/gtest.h>

#include "closed_form.hpp"
#include "model/count.hpp"
#include "prices.hpp"
#include "registry/settings.hpp"

namespace rondo::model {
namespace {

using choice::Layout;

Work count_node(std::string_view text, const Layout& layout, const Load& load) {
  return work_of(chosen(kAlltoallv, text, layout), layout, load);
}

TEST(NodeWork, OneNodeSendsNoMessage) {
  for (const char* name : {"node_aware", "node_aware:inter=bruck"})
    for (const int ranks : {1, 2, 64}) {
      const Work done = count_node(name, one_node(ranks), {100});
      EXPECT_EQ(done.messages(), 0);
      EXPECT_EQ(done.arrivals, 1);
      EXPECT_EQ(done.cells, ranks - 1);
      EXPECT_EQ(done.copied_blocks, 2 * (ranks - 1) + 1);
      EXPECT_EQ(done.copied_bytes, 100 * done.copied_blocks);
    }
}

TEST(NodeWork, LongBlocksOfANodeGoFromRankToRankWhereTheyAreNotCopied) {
  const auto count_messages = [](std::string_view text, const Layout& layout, const Load& load) {
    return work_of(chosen(kAlltoallv, text, layout), layout, load, false);
  };
  const Work done = count_messages("node_aware:threshold=100", one_node(8), {101});
  EXPECT_EQ(done.inside.messages, 7);
  EXPECT_EQ(done.inside.bytes, 7 * 101);
  EXPECT_EQ(done.arrivals, 1);
  // A slot of 4 MiB has 4088 bytes for each of 1026 ranks. Blocks have a multiple of 16, whatever the threshold.
  ASSERT_EQ(registry::Settings{}.slot_bytes, 4194304);
  EXPECT_EQ(count_messages("node_aware", one_node(1026), {4080}).messages(), 0);
  EXPECT_EQ(count_messages("node_aware", one_node(1026), {4081}).messages(), 1025);
  // Offsets in the slots of a node have 32 bits, which are a byte too few for 1024 slots of 4 MiB.
  EXPECT_EQ(count_messages("node_aware", one_node(1024), {4080}).messages(), 0);
  EXPECT_EQ(count_messages("node_aware", one_node(1024), {4081}).messages(), 1023);
  // No slot is longer than 64 KiB.
  EXPECT_EQ(count_messages("node_aware:threshold=1000000", one_node(2), {65536}).messages(), 0);
  EXPECT_EQ(count_messages("node_aware:threshold=1000000", one_node(2), {65537}).messages(), 1);
}

TEST(NodeWork, LongBlocksOfANodeAreCopiedInPieces) {
  const Layout layout = one_node(8);
  const choice::Choice choice = chosen(kAlltoallv, "node_aware:threshold=100", layout);
  const Work done = work_of(choice, layout, {101});
  EXPECT_EQ(done.messages(), 0);
  EXPECT_EQ(done.bytes(), 0);
  EXPECT_EQ(done.copied_bytes, (2 * 7 + 1) * 101);
  EXPECT_EQ(done.arrivals, 2);
  EXPECT_EQ(done.cells, 2 * 7);
  const Work of_short = work_of(choice, layout, {100});
  EXPECT_EQ(of_short.copied_bytes, work_of(choice, layout, {100}, false).copied_bytes);
  EXPECT_EQ(of_short.arrivals, 1);
  EXPECT_EQ(of_short.cells, 7);
  // The pipes of a rank have 2 MiB together: 4 KiB for each of 512 neighbours.
  EXPECT_EQ(count_node("node_aware", one_node(513), {8192}).messages(), 0);
  EXPECT_EQ(count_node("node_aware", one_node(514), {8192}).messages(),
            0);  // as long as slots' blocks
  EXPECT_EQ(count_node("node_aware", one_node(1025), {8192}).messages(), 1024);
  // Pipes do not depend on the number of nodes.
  EXPECT_EQ(count_node("node_aware", {4096, 64, 64}, {8192}).inside.messages, 0);
}

/// A message between nodes has `blocks` blocks of 10 bytes, each behind a byte for its length.
constexpr double carried(int blocks) {
  return 24 + blocks * 11;
}

/// 3 nodes of 4 ranks: the 2 messages of a node are dealt out over its ranks, so one rank sends at
/// most one, with 4 x 4 blocks, packed from 4 runs.
TEST(NodeWork, MessagesOfANodeAreDealtOutOverItsRanks) {
  const Work done = count_node("node_aware:inter=direct", {12, 3, 4}, {10});
  EXPECT_EQ(done.inside.messages, 0);
  EXPECT_EQ(done.between.messages, 1);
  EXPECT_EQ(done.between.bytes, carried(16));
  EXPECT_EQ(done.between.waits, 1);
  EXPECT_EQ(done.node_bytes, 2 * carried(16));
  EXPECT_EQ(done.copied_blocks, (2 * 3 + 1) + 4 + 2 * 8);
  EXPECT_EQ(done.copied_bytes, 10 * ((2 * 3 + 1) + 16 + 2 * 8));
  EXPECT_EQ(done.arrivals, 2);
  EXPECT_EQ(done.cells, 3 + 2 * 3.0 / 4);
}

TEST(NodeWork, MoreMessagesThanRanksAreSharedAsEvenlyAsTheyGo) {
  const Work done = count_node("node_aware:inter=direct", {22, 11, 2}, {10});
  EXPECT_EQ(done.between.messages, 5);
  EXPECT_EQ(done.between.bytes, 5 * carried(4));
  EXPECT_EQ(done.node_bytes, 10 * carried(4));
  const Work odd = count_node("node_aware:inter=direct", {24, 12, 2}, {10});
  EXPECT_EQ(odd.between.messages, 6);
}

TEST(NodeWork, PartsCutMessages) {
  const Work done = count_node("node_aware:inter=direct:parts=2", {12, 3, 4}, {10});
  EXPECT_EQ(done.between.messages, 1);
  EXPECT_EQ(done.between.bytes, carried(8));
  EXPECT_EQ(done.node_bytes, 4 * carried(8));
}

/// What goes from node to node is a block of 16 blocks; K(5, 2) = 3 and D(5, 2) = 5.
TEST(NodeWork, LogTimeRoundsBetweenNodesAreFusedBruck) {
  const Work done = count_node("node_aware:inter=bruck:radix=2", {20, 5, 4}, {10});
  ASSERT_EQ(rounds_of_bruck(5, 2), 3);
  ASSERT_EQ(blocks_of_bruck(5, 2), 5);
  EXPECT_EQ(done.between.messages, 3);
  EXPECT_EQ(done.between.waits, 3);
  EXPECT_EQ(done.between.bytes, 5 * (carried(16) + 4) + 3 * 24);
  EXPECT_EQ(done.node_bytes, done.between.bytes);
  // In the node, 4 runs for each of 4 nodes, a hop of each block, and out again.
  EXPECT_EQ(done.copied_blocks, (2 * 3 + 1) + 4 * 4 + 5 + 4 + 2 * 16);
  const Work cut = count_node("node_aware:inter=bruck:radix=2:parts=2", {20, 5, 4}, {10});
  EXPECT_EQ(cut.between.bytes, 5 * (carried(8) + 4) + 3 * 24);
  EXPECT_EQ(cut.node_bytes, 2 * cut.between.bytes);
  // Shares of 1, 1 and 2 ranks.
  const Work uneven = count_node("node_aware:inter=bruck:radix=2:parts=3", {20, 5, 4}, {10});
  EXPECT_EQ(uneven.between.bytes, 5 * (carried(8) + 4) + 3 * 24);
  EXPECT_EQ(uneven.node_bytes, 5 * (carried(4) + carried(4) + carried(8) + 3 * 4) + 3 * 3 * 24);
}

TEST(NodeWork, BlocksForOtherNodesPastTheThresholdGoStraight) {
  const Layout layout{12, 3, 4};
  const choice::Choice choice = chosen(kAlltoallv, "node_aware:inter=direct:threshold=100", layout);
  for (const bool copies_long : {false, true}) {
    const Work done = work_of(choice, layout, {101}, copies_long);
    EXPECT_EQ(done.inside.messages, copies_long ? 0 : 3);
    EXPECT_EQ(done.copied_bytes, (copies_long ? 2 * 3 + 1 : 1) * 101);
    EXPECT_EQ(done.between.messages, 1 + 8);
    EXPECT_EQ(done.between.bytes, 24 + 16 + 8 * 101);
  }
}

/// 13 ranks on 5 nodes: of 2 or 3 ranks; the largest is counted.
TEST(NodeWork, UnequalNodesCountAsOfTheMeanSize) {
  const Layout layout{13, 13, 1, 5};
  const Work done = count_node("node_aware:inter=direct", layout, {10});
  EXPECT_EQ(done.cells, 2 + 4 * 2.0 / 3);
  EXPECT_EQ(done.between.messages, 2);
  EXPECT_EQ(done.node_bytes, 4 * carried(0) + 3 * 10 * 11);
  const Work straight = work_of(chosen(kAlltoallv, "node_aware:inter=direct:threshold=5", layout),
                                layout, {10}, false);
  EXPECT_EQ(straight.inside.messages, 2);
  EXPECT_EQ(straight.between.messages, 2 + 10);
}

/// Nodes of 1, 4 and 2 ranks: the second sends 4 blocks to the first and 8 to the third.
TEST(NodeWork, OfTheLargestNodeIsCounted) {
  const int nodes[] = {0, 1, 1, 1, 1, 2, 2};
  const schedule::NodeSchedule schedule(schedule::NodeMap(nodes), schedule::Between::direct, 2, 1);
  const registry::Handling header{.header_bytes = 24};
  const Load load{10};
  const Layout layout{
      .ranks = 7, .nodes = 7, .per_node = 1, .uneven_nodes = 2};  // up to 4 ranks on a node
  const choice::Choice choice = chosen(kAlltoallv, "node_aware", {.ranks = 7, .nodes = 7});
  Count count({.choice = choice, .layout = layout}, load, split(load, 10));
  trace_between(schedule, header, count);
  const Work done = count.work();
  EXPECT_EQ(done.between.messages, 1);
  EXPECT_EQ(done.between.bytes, carried(8));
  EXPECT_EQ(done.node_bytes, carried(4) + carried(8));
  EXPECT_EQ(done.copied_bytes, 8 * 10);
}

}  // namespace
}  // namespace rondo::model
