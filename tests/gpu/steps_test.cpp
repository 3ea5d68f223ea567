// Carries out the copies and messages of nccl_bruck for all ranks on the host.
#include "gpu/steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace {

using namespace rondo;
using namespace rondo::gpu;
using schedule::bruck;

/// The memory of one rank. A block is the pair of its sender and receiver; -1 was never written.
struct Rank {
  Steps steps;
  std::vector<int> send, receive, outgoing, incoming;

  Rank(const schedule::Schedule& schedule, int rank)
      : steps(steps_of(schedule, rank)),
        receive(static_cast<std::size_t>(schedule.ranks()), -1),
        outgoing(steps.outgoing_blocks, -1),
        incoming(steps.incoming_blocks, -1) {
    for (int to = 0; to < schedule.ranks(); ++to) send.push_back(rank * schedule.ranks() + to);
  }

  std::vector<int>& area(Area area) {
    switch (area) {
      case Area::send:
        return send;
      case Area::receive:
        return receive;
      case Area::outgoing:
        return outgoing;
      case Area::incoming:
        return incoming;
    }
    return send;
  }

  /// The copies run at the same time, so none may read or write what another one writes.
  void copy(const Phase& phase) {
    std::set<std::pair<Area, std::uint32_t>> written;
    std::vector<int> values;
    for (const Copy& copy : phase.copies) {
      ASSERT_TRUE(copy.to_area == Area::receive || copy.to_area == Area::outgoing);
      ASSERT_TRUE(copy.from_area == Area::send || copy.from_area == Area::incoming);
      ASSERT_TRUE(written.emplace(copy.to_area, copy.to).second);
      values.push_back(area(copy.from_area).at(copy.from));
      ASSERT_NE(values.back(), -1);
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      area(phase.copies[i].to_area).at(phase.copies[i].to) = values[i];
  }
};

void exchange(const schedule::Schedule& schedule) {
  const int ranks = schedule.ranks();
  std::vector<Rank> all;
  for (int rank = 0; rank < ranks; ++rank) all.emplace_back(schedule, rank);
  const std::size_t phases = all.front().steps.phases.size();
  ASSERT_EQ(phases, static_cast<std::size_t>(schedule.phases()) + 1);
  for (std::size_t at = 0; at < phases; ++at) {
    for (Rank& rank : all) rank.copy(rank.steps.phases[at]);
    for (int rank = 0; rank < ranks; ++rank)
      for (const Message& message : all[static_cast<std::size_t>(rank)].steps.phases[at].messages) {
        Rank& receiver = all.at(static_cast<std::size_t>(message.to));
        const auto& expected = receiver.steps.phases[at].messages;
        const auto match = std::ranges::find(expected, rank, &Message::from);
        ASSERT_NE(match, expected.end());
        ASSERT_EQ(match->blocks, message.blocks);
        for (std::uint32_t block = 0; block < message.blocks; ++block)
          receiver.incoming.at(match->incoming + block) =
              all[static_cast<std::size_t>(rank)].outgoing.at(message.outgoing + block);
      }
  }
  for (int rank = 0; rank < ranks; ++rank)
    for (int source = 0; source < ranks; ++source)
      ASSERT_EQ(all[static_cast<std::size_t>(rank)].receive[static_cast<std::size_t>(source)],
                source * ranks + rank);
}

TEST(Steps, EveryRadixOfUpTo24Ranks) {
  for (int ranks = 1; ranks <= 24; ++ranks)
    for (int radix = 2; radix <= std::max(ranks, 2); ++radix) {
      SCOPED_TRACE(::testing::Message() << ranks << " ranks, radix " << radix);
      exchange(bruck(ranks, radix));
    }
}

TEST(Steps, ManyRanks) {
  for (const int ranks : {64, 72, 100, 127}) {
    SCOPED_TRACE(::testing::Message() << ranks << " ranks");
    exchange(bruck(ranks, 2));
    exchange(bruck(ranks, 9));
  }
}

TEST(Steps, OneCopyForEveryHopAndOneForEveryBlock) {
  for (const int ranks : {1, 2, 3, 8, 13, 64}) {
    const schedule::Schedule schedule = bruck(ranks, 4);
    std::size_t sent = 0;
    for (const schedule::Round& round : schedule.rounds())
      sent += static_cast<std::size_t>(round.blocks.size());
    const Steps steps = steps_of(schedule, 0);
    std::size_t copies = 0;
    for (const Phase& phase : steps.phases) copies += phase.copies.size();
    EXPECT_EQ(copies, sent + static_cast<std::size_t>(ranks));
    EXPECT_EQ(steps.incoming_blocks, sent);
    std::size_t largest = 0;
    for (const Phase& phase : steps.phases) {
      std::size_t blocks = 0;
      for (const Message& message : phase.messages) blocks += message.blocks;
      largest = std::max(largest, blocks);
    }
    EXPECT_EQ(steps.outgoing_blocks, largest);
    EXPECT_TRUE(steps.phases.back().messages.empty());
  }
}

TEST(Steps, RoundsOfAPhaseGoTogether) {
  const Steps steps = steps_of(bruck(64, 8), 5);
  ASSERT_EQ(steps.phases.size(), 3U);
  EXPECT_EQ(steps.phases[0].messages.size(), 7U);
  EXPECT_EQ(steps.phases[1].messages.size(), 7U);
}

}  // namespace
