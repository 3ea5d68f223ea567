// Every node map and node schedule passes its checker, and the checkers refuse wrong ones.
#include "schedule/node_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "check_node_map.hpp"
#include "closed_form.hpp"
#include "phases.hpp"
#include "refusal.hpp"
#include "schedule/check.hpp"
#include "schedule/check_node.hpp"
#include "seed.hpp"

namespace rondo::schedule {
namespace {

using Ints = std::vector<int>;

/// Ranks fill one node after the other.
Ints block_placement(const Ints& sizes, std::mt19937_64&) {
  Ints numbers;
  for (std::size_t node = 0; node < sizes.size(); ++node)
    numbers.insert(numbers.end(), static_cast<std::size_t>(sizes[node]), static_cast<int>(node));
  return numbers;
}

/// Ranks are dealt out in turn over the nodes that are not full.
Ints round_robin_placement(const Ints& sizes, std::mt19937_64&) {
  Ints numbers;
  for (int local = 0; local < *std::ranges::max_element(sizes); ++local)
    for (std::size_t node = 0; node < sizes.size(); ++node)
      if (local < sizes[node]) numbers.push_back(static_cast<int>(node));
  return numbers;
}

/// Ranks and the numbers of the nodes are permuted.
Ints permuted_placement(const Ints& sizes, std::mt19937_64& random) {
  Ints names(sizes.size());
  std::iota(names.begin(), names.end(), -2);
  std::ranges::shuffle(names, random);
  Ints numbers = block_placement(sizes, random);
  for (int& number : numbers) number = 17 * names[static_cast<std::size_t>(number)];
  std::ranges::shuffle(numbers, random);
  return numbers;
}

/// The numbers of the nodes, by rank.
struct Placement {
  const char* name;
  Ints (*place)(const Ints& sizes, std::mt19937_64& random);
};

const Placement kPlacements[] = {{"Block", block_placement},
                                 {"RoundRobin", round_robin_placement},
                                 {"Permuted", permuted_placement}};

/// How often bruck sends a block over a distance: the number of its non-zero digits.
int hops_of_bruck(int distance, int radix) {
  int hops = 0;
  for (; distance > 0; distance /= radix) hops += distance % radix != 0 ? 1 : 0;
  return hops;
}

/// D of all ranks, computed from the sizes alone.
std::int64_t blocks_of(const NodeSchedule& schedule, int radix) {
  const NodeMap& map = schedule.map();
  const int nodes = map.nodes();
  std::int64_t blocks = 0;
  for (int from = 0; from < nodes; ++from)
    for (int distance = 1; distance < nodes; ++distance) {
      const bool direct = schedule.how() == Between::direct;
      const int hops = direct ? 1 : hops_of_bruck(distance, radix);
      blocks += std::int64_t{map.size(from)} * map.size((from + distance) % nodes) * hops;
    }
  return blocks;
}

struct Choice {
  Between how;
  int radix;
  int parts;
};

void expect_right(const NodeMap& map, const Choice& choice) {
  const bool direct = choice.how == Between::direct;
  SCOPED_TRACE(testing::Message() << (direct ? "direct" : "bruck") << " radix=" << choice.radix
                                  << " parts=" << choice.parts);
  const NodeSchedule schedule(map, choice.how, choice.radix, choice.parts);
  const std::int64_t nodes = map.nodes();
  const std::int64_t rounds = direct ? nodes - 1 : model::rounds_of_bruck(nodes, choice.radix);
  const int lanes = std::min(choice.parts, map.smallest_size());
  ASSERT_EQ(check(schedule.between()).violation, "");
  const NodeReport report = check_node(schedule);
  ASSERT_EQ(report.violation, "");
  ASSERT_EQ(schedule.lanes(), lanes);
  ASSERT_EQ(report.rounds, rounds);
  ASSERT_EQ(report.messages, nodes * rounds * lanes);
  ASSERT_EQ(report.blocks, blocks_of(schedule, choice.radix));
  if (direct) {
    ASSERT_EQ(schedule.between().phases(), nodes > 1 ? 1 : 0);
  }
}

void expect_right_map(const Ints& numbers) {
  ASSERT_EQ(check_node_map(NodeMap(numbers), numbers), "");
}

struct Shape {
  const char* name;
  Ints sizes;
};

const Shape kShapes[] = {
    {"OneRank", {1}},
    {"OneNode", {6}},
    {"TwoRanks", {1, 1}},
    {"TwoNodes", {3, 3}},
    {"TwoUnequal", {7, 4}},
    {"OneRankEach", {1, 1, 1, 1, 1, 1, 1}},
    {"PowerOfTwo", {4, 4, 4, 4}},
    {"Ascending", {1, 2, 3, 4, 5}},
    {"Descending", {6, 5, 3, 2}},
    {"OneLarge", {2, 9, 2}},
    {"OneSmall", {5, 5, 1, 5, 5, 5}},
    {"Nine", {2, 2, 2, 2, 2, 2, 2, 2, 2}},
    {"Twelve", {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}},
};

void PrintTo(const Shape& row, std::ostream* out) {
  *out << row.name;
}

class NodeShapes : public testing::TestWithParam<std::tuple<Shape, Placement>> {};

TEST_P(NodeShapes, EveryRadixAndPart) {
  std::mt19937_64 random(test::seed());
  const auto& [shape, placement] = GetParam();
  const Ints numbers = placement.place(shape.sizes, random);
  expect_right_map(numbers);
  const NodeMap map(numbers);
  for (int parts = 1; parts <= 5 && !HasFatalFailure(); ++parts) {
    expect_right(map, {Between::direct, 2, parts});
    for (int radix = 2; radix <= map.nodes() + 1 && !HasFatalFailure(); ++radix)
      expect_right(map, {Between::bruck, radix, parts});
  }
}

INSTANTIATE_TEST_SUITE_P(NodeSchedule, NodeShapes,
                         testing::Combine(testing::ValuesIn(kShapes),
                                          testing::ValuesIn(kPlacements)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) +
                                  std::get<1>(row.param).name;
                         });

Ints random_sizes(std::mt19937_64& random, int least_nodes, int most_nodes, int most_ranks) {
  Ints sizes(static_cast<std::size_t>(test::random_in(random, least_nodes, most_nodes)));
  for (int& size : sizes) size = test::random_in(random, 1, most_ranks);
  return sizes;
}

TEST(NodeSchedule, RandomSizesAndPlacements) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) {
    const Ints sizes = random_sizes(random, 1, 12, 9);
    SCOPED_TRACE(testing::Message() << "case " << i << " sizes " << testing::PrintToString(sizes));
    const Ints numbers = kPlacements[test::random_in(random, 0, 2)].place(sizes, random);
    expect_right_map(numbers);
    const NodeMap map(numbers);
    const int parts = test::random_in(random, 1, 5);
    expect_right(map, {Between::direct, 2, parts});
    expect_right(map, {Between::bruck, test::random_in(random, 2, map.nodes() + 1), parts});
  }
}

TEST(NodeSchedule, EqualNodesMoveTheClosedForm) {
  for (int nodes = 1; nodes <= 9; ++nodes)
    for (int radix = 2; radix <= nodes + 1; ++radix) {
      Ints numbers;
      for (int node = 0; node < nodes; ++node) numbers.insert(numbers.end(), 3, node);
      const NodeMap map(numbers);
      const NodeReport report = check_node(NodeSchedule(map, Between::bruck, radix, 2));
      ASSERT_EQ(report.violation, "");
      ASSERT_EQ(report.blocks, nodes * 3 * 3 * model::blocks_of_bruck(nodes, radix));
    }
}

TEST(NodeSchedule, CarriersOfThreeNodes) {
  const NodeSchedule direct(NodeMap(Ints{4, 4, 1, 9, 1, 1, 9}), Between::direct, 2, 2);
  Ints leaders;
  for (int node = 0; node < 3; ++node)
    for (int round = 0; round < 2; ++round)
      for (int lane = 0; lane < 2; ++lane) leaders.push_back(direct.leader(node, round, lane));
  EXPECT_EQ(leaders, (Ints{2, 4, 5, 2, 0, 1, 0, 1, 3, 6, 3, 6}));
  EXPECT_EQ(direct.share(0, 0).end, 1);
  EXPECT_EQ(direct.share(0, 1).end, 3);
  const NodeSchedule bruck(NodeMap(Ints{4, 4, 1, 1}), Between::bruck, 2, 5);
  EXPECT_EQ(bruck.lanes(), 2);
  EXPECT_EQ(bruck.leader(0, 0, 1), 3);
  EXPECT_EQ(bruck.leader(1, 0, 0), 0);
}

TEST(NodeMap, NodesAscendInTheirNumbers) {
  const NodeMap map(Ints{7, 3, 7, 3, 3, -1});
  const NodeMapTable table = table_of(map);
  EXPECT_EQ(table.rank_at, (Ints{5, 1, 3, 4, 0, 2}));
  EXPECT_EQ(table.node_of, (Ints{2, 1, 2, 1, 1, 0}));
  EXPECT_EQ(table.local_of, (Ints{0, 0, 1, 1, 2, 0}));
  EXPECT_EQ(table.first, (Ints{0, 1, 4, 6}));
  EXPECT_EQ(table.common_size, 1);
  EXPECT_EQ(table.smallest_size, 1);
  EXPECT_EQ(table.largest_size, 3);
  EXPECT_EQ(NodeMap(Ints{1, 0, 0, 1, 0, 0}).common_size(), 2);
}

/// The answers of a NodeSchedule, taken apart so that one can be changed.
struct NodeRules {
  explicit NodeRules(const NodeSchedule& right)
      : map(right.map()),
        how(right.how()),
        lanes(right.lanes()),
        between(right.between()),
        leader([=](int node, int round, int lane) { return right.leader(node, round, lane); }),
        share([=](int node, int lane) { return right.share(node, lane); }) {}

  NodeMap map;
  Between how;
  int lanes;
  Schedule between;
  std::function<int(int node, int round, int lane)> leader;
  std::function<NodeSchedule::Share(int node, int lane)> share;
};

/// A schedule that gives these answers.
class SpoiltSchedule {
 public:
  explicit SpoiltSchedule(const NodeRules& rules) : rules_(rules) {}
  const NodeMap& map() const { return rules_.map; }
  Between how() const { return rules_.how; }
  int lanes() const { return rules_.lanes; }
  const Schedule& between() const { return rules_.between; }
  int leader(int node, int round, int lane) const { return rules_.leader(node, round, lane); }
  NodeSchedule::Share share(int node, int lane) const { return rules_.share(node, lane); }

 private:
  const NodeRules& rules_;
};

template <class Change>
auto rounds(Change change) {
  return [change](NodeRules& rules) {
    Phases phases = phases_of(rules.between);
    change(phases);
    rules.between = rebuild(rules.between.group(), phases);
  };
}

/// From round `since` on, another local number leads at one node, or at all nodes (-1).
auto leader(int node, int since, int local) {
  return [=](NodeRules& rules) {
    rules.leader = [=, map = rules.map, right = rules.leader](int at, int round, int lane) {
      const bool changed = (node < 0 || at == node) && round >= since;
      return changed ? map.rank_of(at, local) : right(at, round, lane);
    };
  };
}

auto rank_carries(int rank) {
  return [=](NodeRules& rules) { rules.leader = [=](int, int, int) { return rank; }; };
}

auto share_of_node_1(int lane, NodeSchedule::Share share) {
  return [=](NodeRules& rules) {
    rules.share = [=, right = rules.share](int node, int at) {
      return node == 1 && at == lane ? share : right(node, at);
    };
  };
}

struct NodeCorruption {
  const char* name;
  Between how;
  std::function<void(NodeRules&)> spoil;
  const char* violation;
};

constexpr auto kDirect = Between::direct;
constexpr auto kBruck = Between::bruck;

// Of 4 nodes with the ranks {0 1} {2 3 4} {5 6} {7 8}, in 2 lanes. Node 1's shares are [0, 1) and
// [1, 3). Directly in 3 rounds, by 1 2 3; with bruck(4, 2) in 2: {1 3} | {2 3}, by 1 | 2.
const NodeCorruption kNodeCorruptions[] = {
    {"NoLanes", kDirect, [](NodeRules& r) { r.lanes = 0; }, "there are 0 lanes"},
    {"RoundsOfOtherNodes", kBruck, [](NodeRules& r) { r.between = bruck(5, 2); },
     "the rounds are for 5 nodes, not 4"},
    {"NoRing", kDirect, [](NodeRules& r) { r.between = pairwise(4); },
     "the group of the rounds is not a ring: 1 + 1"},
    {"ShareTwice", kDirect, share_of_node_1(1, {0, 3}),
     "node 1: the share of lane 1 is [0, 3), not from 1"},
    {"ShareMissing", kDirect, share_of_node_1(1, {2, 3}), "lane 1 is [2, 3), not from 1"},
    {"ShareTooLong", kBruck, share_of_node_1(1, {1, 4}), "node 1: the shares have 4 ranks, not 3"},
    {"ShareTooShort", kBruck, share_of_node_1(1, {1, 2}), "node 1: the shares have 2 ranks, not 3"},
    {"ShareBackwards", kBruck, share_of_node_1(0, {0, -1}), "lane 0 is [0, -1), not from 0"},
    {"CarrierElsewhere", kDirect, rank_carries(0),
     "round 0, lane 0: leader 0 of node 1 is on node 0"},
    {"CarrierNegative", kDirect, rank_carries(-1), "leader -1 is not in 0..8"},
    {"CarrierAboveRanks", kBruck, rank_carries(9), "leader 9 is not in 0..8"},
    {"CarriersUneven", kDirect, leader(-1, 0, 0), "node 0: one rank sends 6 messages, another 0"},
    {"CarriersUnevenOnce", kDirect, leader(2, 2, 0),
     "node 2: one rank sends 4 messages, another 2"},
    {"CarrierOfTwoLanes", kBruck, leader(3, 0, 1), "node 3: one rank sends 4 messages, another 0"},
    {"CarrierChanges", kBruck, leader(1, 1, 2),
     "round 1, lane 0: block 0 to 7 is held by rank 2 and sent by rank 4"},
    {"HopToSelf", kBruck, rounds([](Phases& p) { p[1][0].hop = 0; }),
     "round 1: hop 0 is not in 1..3"},
    {"HopTooFar", kDirect, rounds([](Phases& p) { p[0][2].hop = 4; }),
     "round 2: hop 4 is not in 1..3"},
    {"HopElsewhere", kDirect, rounds([](Phases& p) { p[0][0].hop = 2; }),
     "round 0, lane 0: block 0 to 2 goes to node 2, not straight"},
    {"HopElsewhereByBruck", kBruck, rounds([](Phases& p) { p[1][0].hop = 3; }),
     "block 0 to 5 ends on node 3"},
    {"NotStraight", kDirect, [](NodeRules& r) { r.between = bruck(4, 2); },
     "round 0, lane 0: block 0 to 7 goes to node 1, not straight"},
    {"RoundDropped", kDirect, rounds([](Phases& p) { p[0].pop_back(); }),
     "block 0 to 7 ends on node 0"},
    {"PhaseDropped", kBruck, rounds([](Phases& p) { p.pop_back(); }),
     "block 0 to 5 ends on node 0"},
    {"RoundRepeatedInPhase", kDirect, rounds([](Phases& p) { p[0].push_back(p[0][0]); }),
     "round 3, lane 0: block 0 to 2 moves twice in phase 0"},
    {"PhaseRepeated", kBruck, rounds([](Phases& p) { p.push_back(p[1]); }),
     "round 2, lane 0: block 0 to 5 moves after it landed"},
    {"PhasesMerged", kBruck, rounds([](Phases& p) {
       p[0].push_back(p[1][0]);
       p.pop_back();
     }),
     "round 1, lane 0: block 0 to 7 moves twice in phase 0"},
    {"DistanceZero", kBruck, rounds([](Phases& p) { p[0][0].blocks.first = 0; }),
     "round 0, lane 0: distance 0 is not in 1..3"},
    {"DistanceAboveNodes", kBruck, rounds([](Phases& p) { p[0][0].blocks.section = 3; }),
     "distance 4 is not in 1..3"},
    {"SetWithoutSection", kBruck, rounds([](Phases& p) { p[0][0].blocks.section = 0; }),
     "round 0: its set has an empty section"},
    {"MessageTwice", kDirect, rounds([](Phases& p) {
       p[0].push_back(p[0][0]);
       p[0].back().blocks.first = 4;
     }),
     "lane 0: node 0 sends 2 messages to node 1"},
    {"NothingMoves", kBruck, rounds([](Phases& p) { p.clear(); }), "block 0 to 2 ends on node 0"},
    {"RoundOutsidePhases", kBruck,
     [](NodeRules& r) {
       Schedule late(r.between.group());
       late.add_round(r.between.rounds()[0]);
       late.begin_phase();
       late.add_round(r.between.rounds()[1]);
       r.between = late;
     },
     "only 1 of 2 rounds are in a phase"},
};

TEST(NodeSchedule, EveryCorruptionIsReported) {
  const NodeMap map(Ints{0, 0, 1, 1, 1, 2, 2, 3, 3});
  for (const NodeCorruption& row : kNodeCorruptions) {
    NodeRules rules(NodeSchedule(map, row.how, 2, 2));
    ASSERT_EQ(check_node(SpoiltSchedule(rules)).violation, "");
    row.spoil(rules);
    EXPECT_TRUE(test::says(check_node(SpoiltSchedule(rules)).violation, row.violation)) << row.name;
  }
}

/// Makes a change that leaves no schedule valid: the rank of a leader, a border between shares, a round.
void spoil(NodeRules& rules, std::mt19937_64& random) {
  const int node = test::random_in(random, 0, rules.map.nodes() - 1);
  const int lane = test::random_in(random, 0, rules.lanes - 1);
  Phases phases = phases_of(rules.between);
  switch (random() % 6) {
    case 0:
      rules.leader = [=, map = rules.map, right = rules.leader](int at, int k, int of) {
        if (at != node || of != lane) return right(at, k, of);
        return map.rank_of((node + 1) % map.nodes(), 0);
      };
      break;
    case 1:
      rules.share = [=, right = rules.share](int at, int of) {
        const auto [begin, end] = right(at, of);
        return NodeSchedule::Share{begin, at == node && of == lane ? end + 1 : end};
      };
      break;
    default:
      spoil(phases, rules.map.nodes(), random);
      rules.between = rebuild(rules.between.group(), phases);
  }
}

TEST(NodeSchedule, RandomCorruptionsAreReported) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 5000; ++i) {
    const NodeMap map(permuted_placement(random_sizes(random, 2, 8, 3), random));
    const auto how = random() % 2 != 0 ? Between::direct : Between::bruck;
    const int radix = test::random_in(random, 2, map.nodes());
    NodeRules rules(NodeSchedule(map, how, radix, test::random_in(random, 1, 3)));
    spoil(rules, random);
    ASSERT_FALSE(check_node(SpoiltSchedule(rules)).ok()) << "case " << i;
  }
}

struct MapCorruption {
  const char* name;
  std::function<void(NodeMapTable&, Ints&)> spoil;
  const char* violation;
};

// Of ranks on the nodes 5 2 5 2 2: node 0 has the ranks {1 3 4}, node 1 has {0 2}.
const MapCorruption kMapCorruptions[] = {
    {"RankMissing", [](NodeMapTable&, Ints& n) { n.push_back(5); }, "it has 5 ranks, not 6"},
    {"PositionTwice", [](NodeMapTable& m, Ints&) { m.position_of[3] = 0; }, "rank_at(0) is not 3"},
    {"PositionAboveRanks", [](NodeMapTable& m, Ints&) { m.position_of[0] = 5; },
     "position_of(0) is 5"},
    {"RanksSwapped", [](NodeMapTable& m, Ints&) { std::swap(m.rank_at[0], m.rank_at[1]); },
     "rank_at(0) is not 1"},
    {"NodeEmpty", [](NodeMapTable& m, Ints&) { m.size[1] = 0; }, "node 1 has 0 ranks"},
    {"SizeWrong", [](NodeMapTable& m, Ints&) { m.size[0] = 2; }, "first(1) is not 2"},
    {"FirstWrong", [](NodeMapTable& m, Ints&) { m.first[0] = 1; }, "first(0) is not 0"},
    {"EndWrong", [](NodeMapTable& m, Ints&) { m.first[2] = 6; }, "sizes sum up to 5 and 6"},
    {"CommonSizeWrong", [](NodeMapTable& m, Ints&) { m.common_size = 2; }, "common_size() is"},
    {"SmallestSizeWrong", [](NodeMapTable& m, Ints&) { m.smallest_size = 3; }, "smallest_size()"},
    {"LargestSizeWrong", [](NodeMapTable& m, Ints&) { m.largest_size = 2; }, "largest_size()"},
    {"NodeWrong", [](NodeMapTable& m, Ints&) { m.node_of[4] = 1; }, "node_of(4) is not 0"},
    {"LocalWrong", [](NodeMapTable& m, Ints&) { m.local_of[4] = 1; }, "local_of(4) is not 2"},
    {"RankWrong", [](NodeMapTable& m, Ints&) { m.rank_of[1][1] = 0; }, "rank_of(1, 1) is not 2"},
    {"NodesDescend",
     [](NodeMapTable&, Ints& n) {
       n = {2, 5, 2, 5, 5};
     },
     "ranks 4 and 0 start a node with numbers 5 and 2"},
    {"NodesMerged",
     [](NodeMapTable&, Ints& n) {
       n = {2, 2, 2, 2, 2};
     },
     "ranks 4 and 0 start a node with numbers 2 and 2"},
    {"NodeSplit", [](NodeMapTable&, Ints& n) { n[4] = 3; },
     "ranks 3 and 4 share a node with numbers 2 and 3"},
    {"RanksDescend",
     [](NodeMapTable& m, Ints& n) {
       m = table_of(NodeMap(Ints{2, 2}));
       m.position_of = m.local_of = m.rank_at = m.rank_of[0] = {1, 0};
       n = {2, 2};
     },
     "ranks 1 and 0 do not ascend"},
};

TEST(NodeMap, EveryCorruptionIsReported) {
  for (const MapCorruption& row : kMapCorruptions) {
    Ints numbers{5, 2, 5, 2, 2};
    NodeMapTable table = table_of(NodeMap(numbers));
    ASSERT_EQ(check_node_map(table, numbers), "");
    row.spoil(table, numbers);
    EXPECT_TRUE(test::says(check_node_map(table, numbers), row.violation)) << row.name;
  }
}

}  // namespace
}  // namespace rondo::schedule
