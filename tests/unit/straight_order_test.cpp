// The order of blocks that go straight to their ranks: nobody is everybody's target, and windows of
// messages in that order never block each other.
#include "schedule/node_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "seed.hpp"

namespace rondo::schedule {
namespace {

/// Nodes of these sizes, with their ranks one after another or dealt out.
NodeMap nodes(const std::vector<int>& sizes, bool are_dealt_out = false) {
  std::vector<int> node_of_rank;
  std::vector<int> left = sizes;
  for (std::size_t node = 0; std::ranges::any_of(left, [](int ranks) { return ranks != 0; });
       node = (node + 1) % left.size())
    for (; left[node] != 0;) {
      node_of_rank.push_back(static_cast<int>(node));
      --left[node];
      if (are_dealt_out) break;
    }
  return NodeMap(node_of_rank);
}

std::vector<NodeMap> equal_nodes() {
  std::vector<NodeMap> maps;
  for (const int count : {1, 2, 3, 4, 5, 8, 13})
    for (const int size : {1, 2, 3, 4, 7, 8})
      for (const bool are_dealt_out : {false, true})
        maps.push_back(
            nodes(std::vector<int>(static_cast<std::size_t>(count), size), are_dealt_out));
  return maps;
}

std::vector<NodeMap> unequal_nodes() {
  return {nodes({1, 5}), nodes({3, 1, 2}, true), nodes({8, 8, 1}), nodes({1, 2, 3, 4, 5, 6}, true)};
}

std::string name(const NodeMap& map) {
  std::string sizes = "nodes of";
  for (int node = 0; node < map.nodes(); ++node) sizes += " " + std::to_string(map.size(node));
  return sizes;
}

TEST(StraightOrder, EveryDestinationHasAStepOfItsOwn) {
  std::vector<NodeMap> maps = equal_nodes();
  std::ranges::copy(unequal_nodes(), std::back_inserter(maps));
  for (const NodeMap& map : maps)
    for (int source = 0; source < map.ranks(); ++source) {
      std::set<std::int64_t> steps;
      for (int rank = 0; rank < map.ranks(); ++rank) {
        const std::int64_t step = straight_step(map, source, rank);
        EXPECT_TRUE(steps.insert(step).second) << name(map);
        EXPECT_GE(step, 0);
        EXPECT_LT(step, std::int64_t{map.nodes()} * map.largest_size());
      }
    }
}

TEST(StraightOrder, ARankReceivesOneBlockAStepFromEqualNodes) {
  for (const NodeMap& map : equal_nodes())
    for (int destination = 0; destination < map.ranks(); ++destination) {
      std::set<std::int64_t> steps;
      for (int source = 0; source < map.ranks(); ++source)
        EXPECT_TRUE(steps.insert(straight_step(map, source, destination)).second) << name(map);
    }
}

/// How many ranks of a node aim at one node at a step: as few as can be.
TEST(StraightOrder, TheRanksOfANodeAimAtDifferentNodes) {
  std::vector<NodeMap> maps = equal_nodes();
  std::ranges::copy(unequal_nodes(), std::back_inserter(maps));
  for (const NodeMap& map : maps) {
    std::map<std::tuple<int, std::int64_t, int>, int> aims;
    for (int source = 0; source < map.ranks(); ++source)
      for (int rank = 0; rank < map.ranks(); ++rank)
        ++aims[{map.node_of(source), straight_step(map, source, rank), map.node_of(rank)}];
    for (const auto& [aim, count] : aims) {
      const int size = map.size(std::get<0>(aim));
      EXPECT_LE(count, (size + map.nodes() - 1) / map.nodes()) << name(map);
    }
  }
}

struct Message {
  std::int64_t step;
  int source;
  int destination;

  bool operator==(const Message&) const = default;
};

/// Ranks that each have `window` messages in flight to send and as many to receive, the first ones of
/// their order that are not done. A message is done when both of its ranks have it in flight.
class Windows {
 public:
  Windows(const NodeMap& map, std::size_t window, std::mt19937_64& random)
      : window_(window), random_(random) {
    const auto ranks = static_cast<std::size_t>(map.ranks());
    sends_.resize(ranks);
    receives_.resize(ranks);
    std::bernoulli_distribution is_long(0.6);
    for (int source = 0; source < map.ranks(); ++source)
      for (int rank = 0; rank < map.ranks(); ++rank)
        if (source != rank && is_long(random))
          add({straight_step(map, source, rank), source, rank});
    for (auto* lists : {&sends_, &receives_})
      for (auto& list : *lists) std::ranges::sort(list, {}, &Message::step);
  }

  /// Completes messages in any order, until none is left or none can be completed. Returns how many
  /// are left.
  std::size_t run() {
    for (std::vector<Message> ready = in_flight(); !ready.empty(); ready = in_flight())
      complete(ready[random_() % ready.size()]);
    std::size_t left = 0;
    for (const auto& list : sends_) left += list.size();
    return left;
  }

 private:
  using List = std::deque<Message>;

  void add(const Message& message) {
    sends_[static_cast<std::size_t>(message.source)].push_back(message);
    receives_[static_cast<std::size_t>(message.destination)].push_back(message);
  }

  bool is_in_window(const List& list, const Message& message) const {
    const auto end = list.begin() + static_cast<std::ptrdiff_t>(std::min(window_, list.size()));
    return std::find(list.begin(), end, message) != end;
  }

  std::vector<Message> in_flight() const {
    std::vector<Message> ready;
    for (const List& list : sends_)
      for (std::size_t i = 0; i < std::min(window_, list.size()); ++i)
        if (is_in_window(receives_[static_cast<std::size_t>(list[i].destination)], list[i]))
          ready.push_back(list[i]);
    return ready;
  }

  void complete(const Message& message) {
    std::erase(sends_[static_cast<std::size_t>(message.source)], message);
    std::erase(receives_[static_cast<std::size_t>(message.destination)], message);
  }

  std::size_t window_;
  std::mt19937_64& random_;
  std::vector<List> sends_;
  std::vector<List> receives_;
};

TEST(StraightOrder, WindowsNeverBlockEachOther) {
  std::mt19937_64 random(test::seed());
  std::vector<NodeMap> maps = unequal_nodes();
  for (const std::vector<int>& sizes : {std::vector<int>{7}, {4, 4}, {2, 2, 2, 2}, {1, 1, 1, 1, 1}})
    maps.push_back(nodes(sizes));
  for (const NodeMap& map : maps)
    for (const std::size_t window : {1U, 2U, 3U, 100U})
      for (int repeat = 0; repeat < 20; ++repeat)
        EXPECT_EQ(Windows(map, window, random).run(), 0U) << name(map) << ", window " << window;
}

}  // namespace
}  // namespace rondo::schedule
