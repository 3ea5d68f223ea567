// The two ideas behind every schedule: groups of ranks and sets of blocks.
#include <gtest/gtest.h>

#include <bit>

#include "schedule/check.hpp"
#include "schedule/schedule.hpp"

namespace rondo::schedule {
namespace {

TEST(Group, RingIsAGroup) {
  for (int ranks = 1; ranks <= 128; ++ranks)
    EXPECT_EQ(check_group(Group::ring(ranks)), "") << "P=" << ranks;
}

TEST(Group, TorusIsAGroup) {
  for (int nodes = 1; nodes <= 9; ++nodes)
    for (int per_node = 1; per_node <= 9; ++per_node)
      EXPECT_EQ(check_group(Group::torus(nodes, per_node)), "")
          << "N=" << nodes << " Q=" << per_node;
}

TEST(Group, ExclusiveOrIsAGroupForPowersOfTwoOnly) {
  for (int ranks = 1; ranks <= 130; ++ranks) {
    if (std::has_single_bit(static_cast<unsigned>(ranks)))
      EXPECT_EQ(check_group(Group::exclusive_or(ranks)), "") << "P=" << ranks;
    else
      EXPECT_THROW(Group::exclusive_or(ranks), Error) << "P=" << ranks;
  }
}

TEST(Group, TorusNamesAreNodeMajor) {
  const Group group = Group::torus(3, 4);
  EXPECT_EQ(group.add(2 * 4 + 3, 1 * 4 + 2), 0 * 4 + 1);
  EXPECT_EQ(group.difference(0 * 4 + 1, 2 * 4 + 3), 1 * 4 + 2);
}

std::vector<int> enumerated(const BlockSet& set) {
  std::vector<int> names;
  set.for_each([&](int name) { names.push_back(name); });
  return names;
}

std::vector<int> contained(const BlockSet& set) {
  std::vector<int> names;
  for (int name = 0; name < set.ranks; ++name)
    if (set.contains(name)) names.push_back(name);
  return names;
}

/// check() tries contains() only inside and next to the runs; this tries it everywhere.
TEST(BlockSet, EnumerationContainsAndSizeAgree) {
  for (int sections = 1; sections <= 3; ++sections)
    for (int section = 1; section <= 14; ++section)
      for (int first = 0; first < section; ++first)
        for (int period = 1; period <= section; ++period)
          for (int run = 1; run <= period; ++run) {
            const BlockSet set{sections * section, section, first, run, period};
            const auto names = enumerated(set);
            ASSERT_EQ(names, contained(set))
                << section << ' ' << first << ' ' << run << ' ' << period;
            ASSERT_EQ(set.size(), static_cast<int>(names.size()));
          }
}

/// Figure 3 of the TRA paper: P = 11 in radix 3.
TEST(BlockSet, HoldsTheNamesOfFigure3) {
  const std::vector<std::vector<int>> expected = {
      {1, 4, 7, 10}, {2, 5, 8}, {3, 4, 5}, {6, 7, 8}, {9, 10}};
  const Schedule schedule = bruck(11, 3);
  ASSERT_EQ(schedule.rounds().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(enumerated(schedule.rounds()[i].blocks), expected[i]) << "round " << i;
}

TEST(Schedule, BatchesHaveAtMostPortsRoundsOfOnePhase) {
  const Schedule schedule = bruck(100, 10);  // two phases of nine rounds
  std::vector<std::size_t> sizes;
  schedule.for_each_batch(4, [&](auto rounds) { sizes.push_back(rounds.size()); });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 1, 4, 4, 1}));
}

}  // namespace
}  // namespace rondo::schedule
