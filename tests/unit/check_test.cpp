// The checker refuses schedules that are wrong: valid ones, each changed in one way.
#include "schedule/check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "phases.hpp"
#include "refusal.hpp"

namespace rondo::schedule {
namespace {

struct Corruption {
  const char* name;
  std::function<void(Phases&)> spoil;
  const char* violation;
};

/// The round over 11 ranks that moves the names given by first, run and period.
Round round_of_11(int hop, int first, int run, int period) {
  return {.hop = hop,
          .blocks = {.ranks = 11, .section = 11, .first = first, .run = run, .period = period}};
}

// Of bruck(11, 3): rounds {1 4 7 10} {2 5 8} | {3 4 5} {6 7 8} | {9 10}, by 1 2 | 3 6 | 9.
const Corruption kCorruptions[] = {
    {"HopToSelf", [](Phases& p) { p[0][1].hop = 0; }, "round 1: hop 0 is not in 1..10"},
    {"HopBack", [](Phases& p) { p[0][0].hop = -1; }, "round 0: hop -1 is not in 1..10"},
    {"HopTooFar", [](Phases& p) { p[2][0].hop = 11; }, "round 4: hop 11 is not in 1..10"},
    {"HopElsewhere", [](Phases& p) { p[1][0].hop = 4; }, "round 2: is_last_hop(3) is wrong"},
    {"RoundDropped", [](Phases& p) { p[1].pop_back(); }, "block 6 ends 0 ranks away"},
    {"PhaseDropped", [](Phases& p) { p.pop_back(); }, "block 9 ends 0 ranks away"},
    {"FirstPhaseDropped", [](Phases& p) { p.erase(p.begin()); },
     "round 0: is_first_hop(4) is wrong"},
    {"RoundRepeatedInPhase", [](Phases& p) { p[2].push_back(p[2][0]); },
     "round 5: block 9 moves twice in phase 2"},
    {"PhaseRepeated", [](Phases& p) { p.push_back(p[2]); },
     "round 5: block 9 moves after it arrived"},
    {"PhasesSwapped", [](Phases& p) { std::swap(p[0], p[1]); },
     "round 0: is_first_hop(4) is wrong"},
    {"PhasesMerged",
     [](Phases& p) {
       p[0].insert(p[0].end(), p[1].begin(), p[1].end());
       p.erase(p.begin() + 1);
     },
     "round 2: block 4 moves twice in phase 0"},
    {"PhaseEmpty", [](Phases& p) { p.insert(p.begin() + 1, std::vector<Round>{}); },
     "phase 1 has no rounds"},
    {"RoundWithoutBlocks", [](Phases& p) { p[2][0].blocks.first = 11; },
     "round 4: it has no blocks"},
    {"MovesItsOwnBlock", [](Phases& p) { p[0][0].blocks.first = 0; },
     "round 0: block 0 is not in 1..10"},
    {"NegativeBlock", [](Phases& p) { p[1][0].blocks.first = -1; }, "is not in 1..10"},
    {"BlockAboveRanks", [](Phases& p) { p[0][1].blocks.section = 6; },
     "round 1: block 11 is not in 1..10"},
    {"RunsOverlap", [](Phases& p) { p[1][0].blocks.period = 2; },
     "round 2: size() is 12 for 11 blocks"},
    {"RunTooLong", [](Phases& p) { p[1][0].blocks.run = 4; }, "round 2: is_first_hop(3) is wrong"},
    {"RunTooShort", [](Phases& p) { p[1][0].blocks.run = 2; }, "round 2: is_first_hop(3) is wrong"},
    {"SetOfOtherRanks", [](Phases& p) { p[0][0].blocks.ranks = 10; },
     "round 0: its set is for 10 ranks, not 11"},
    {"SetWithoutSection", [](Phases& p) { p[0][0].blocks.section = 0; }, "empty section"},
    {"SetWithoutRun", [](Phases& p) { p[0][0].blocks.run = 0; }, "empty section, run"},
    {"SetWithoutPeriod", [](Phases& p) { p[0][0].blocks.period = 0; }, "run or period"},
    {"DigitsInFirstHopWrong", [](Phases& p) { p = {{round_of_11(9, 9, 2, 11)}}; },
     "round 0: is_first_hop(9) is wrong"},
    {"DigitsInLastHopWrong", [](Phases& p) { p = {{round_of_11(9, 9, 1, 9)}}; },
     "round 0: is_last_hop(9) is wrong"},
    {"NothingMoves", [](Phases& p) { p.clear(); }, "block 1 ends 0 ranks away"},
};

TEST(Check, EveryCorruptionIsReported) {
  const Schedule valid = bruck(11, 3);
  for (const Corruption& row : kCorruptions) {
    Phases phases = phases_of(valid);
    ASSERT_EQ(check(rebuild(valid.group(), phases)).violation, "");
    row.spoil(phases);
    EXPECT_TRUE(test::says(check(rebuild(valid.group(), phases)).violation, row.violation))
        << row.name;
  }
}

TEST(Check, RoundsBeforeTheFirstPhaseAreReported) {
  const Schedule valid = bruck(4, 4);
  Schedule schedule(valid.group());
  schedule.add_round(valid.rounds()[0]);
  schedule.begin_phase();
  schedule.add_round(valid.rounds()[1]);
  schedule.add_round(valid.rounds()[2]);
  EXPECT_EQ(check(schedule).violation, "only 2 of 3 rounds are in a phase");
}

TEST(Check, WrongGroupIsReported) {
  EXPECT_FALSE(check(rebuild(Group::exclusive_or(8), phases_of(bruck(8, 3)))).ok());
  EXPECT_FALSE(check(rebuild(Group::torus(2, 4), phases_of(bruck(8, 3)))).ok());
}

TEST(Check, CountsOfAValidSchedule) {
  const Report report = check(bruck(11, 3));
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.rounds, 5);
  EXPECT_EQ(report.blocks, 15);
  EXPECT_EQ(report.in_transit, 5);  // 4 5 7 8 10, between the first phase and the second
}

TEST(Check, RandomCorruptionsAreReported) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 5000; ++i) {
    const int ranks = test::random_in(random, 2, 200);
    const int radix = test::random_in(random, 2, ranks);
    const Schedule valid = bruck(ranks, radix);
    Phases phases = phases_of(valid);
    spoil(phases, ranks, random);
    ASSERT_FALSE(check(rebuild(valid.group(), phases)).ok()) << "P=" << ranks << " r=" << radix;
  }
}

}  // namespace
}  // namespace rondo::schedule
