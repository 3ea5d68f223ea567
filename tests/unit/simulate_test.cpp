// Runs schedules on all ranks with P^2 labelled blocks, and so verifies without symmetry what the
// checker concludes by symmetry.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "schedule/schedule.hpp"

namespace rondo::schedule {
namespace {

struct Label {
  int source;
  int destination;
};

class Ranks {
 public:
  explicit Ranks(const Schedule& schedule) : schedule_(schedule), held_(size(schedule.ranks())) {
    for (int source = 0; source < schedule.ranks(); ++source)
      for (int destination = 0; destination < schedule.ranks(); ++destination)
        held_[size(source)].push_back({source, destination});
  }

  /// All ranks send before any receives, as if the rounds of a phase were in flight together.
  void run_phase(std::span<const Round> rounds) {
    std::vector<std::vector<std::vector<Label>>> sent;
    for (const Round& round : rounds) sent.push_back(send(round));
    for (std::size_t i = 0; i < rounds.size(); ++i) receive(rounds[i], sent[i]);
  }

  void expect_exchanged() const {
    for (int rank = 0; rank < schedule_.ranks(); ++rank) {
      std::set<int> sources;
      for (const Label& block : held_[size(rank)]) {
        ASSERT_EQ(block.destination, rank) << "from " << block.source;
        sources.insert(block.source);
      }
      ASSERT_EQ(sources.size(), held_.size());
      ASSERT_EQ(held_[size(rank)].size(), held_.size());
    }
  }

 private:
  static std::size_t size(int value) { return static_cast<std::size_t>(value); }

  int name(const Label& block) const {
    return schedule_.group().difference(block.destination, block.source);
  }

  /// The message of every rank.
  std::vector<std::vector<Label>> send(const Round& round) {
    std::vector<std::vector<Label>> messages(held_.size());
    for (std::size_t rank = 0; rank < held_.size(); ++rank) {
      auto& held = held_[rank];
      const auto going = std::stable_partition(held.begin(), held.end(), [&](const Label& block) {
        return !round.blocks.contains(name(block));
      });
      messages[rank].assign(going, held.end());
      held.erase(going, held.end());
      EXPECT_EQ(messages[rank].size(), size(round.blocks.size())) << "rank " << rank;
    }
    return messages;
  }

  void receive(const Round& round, const std::vector<std::vector<Label>>& messages) {
    for (int rank = 0; rank < schedule_.ranks(); ++rank) {
      const int from = schedule_.group().subtract(rank, round.hop);
      ASSERT_EQ(schedule_.group().add(from, round.hop), rank) << "nobody sends what is received";
      ASSERT_NE(from, rank);
      const auto& message = messages[size(from)];
      held_[size(rank)].insert(held_[size(rank)].end(), message.begin(), message.end());
    }
  }

  const Schedule& schedule_;
  std::vector<std::vector<Label>> held_;
};

void expect_exchange(const Schedule& schedule) {
  Ranks ranks(schedule);
  for (int phase = 0; phase < schedule.phases(); ++phase) ranks.run_phase(schedule.phase(phase));
  ranks.expect_exchanged();
}

TEST(Simulate, BruckInEveryRadix) {
  for (int ranks = 1; ranks <= 24; ++ranks)
    for (int radix = 2; radix <= ranks + 1; ++radix) {
      SCOPED_TRACE(testing::Message() << "P=" << ranks << " r=" << radix);
      expect_exchange(bruck(ranks, radix));
    }
}

TEST(Simulate, LinearAndPairwise) {
  for (int ranks = 1; ranks <= 24; ++ranks) {
    SCOPED_TRACE(testing::Message() << "P=" << ranks);
    for (int window : {1, 4, 24}) expect_exchange(linear(ranks, window));
    expect_exchange(pairwise(ranks));
  }
}

TEST(Simulate, TwoLayerInEveryRadix) {
  for (int nodes = 1; nodes <= 6; ++nodes)
    for (int per_node = 1; per_node <= 6; ++per_node)
      for (int intra = 2; intra <= per_node + 1; ++intra)
        for (int inter = 2; inter <= nodes + 1; ++inter) {
          SCOPED_TRACE(testing::Message() << "N=" << nodes << " Q=" << per_node
                                          << " intra=" << intra << " inter=" << inter);
          expect_exchange(two_layer(nodes, per_node, intra, inter));
        }
}

}  // namespace
}  // namespace rondo::schedule
