// Proves that a schedule between nodes is right, without MPI and without running it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "schedule/check.hpp"
#include "schedule/node_map.hpp"
#include "schedule/node_schedule.hpp"
#include "schedule/schedule.hpp"

// Nodes differ in size, and ranks may be on any node. So, unlike in check.cpp, nothing is the same
// for all ranks, and one rank's blocks prove nothing about another's. Every block is followed.

namespace rondo::schedule {

/// What check_node() has found. The counts cover everything if ok(), else what precedes the
/// violation.
struct NodeReport {
  std::string violation;      ///< the first error, with its numbers; empty if ok()
  std::int64_t rounds = 0;    ///< K, of every lane
  std::int64_t messages = 0;  ///< between all nodes
  std::int64_t blocks = 0;    ///< D in all; a block counts once for every message that has it

  bool ok() const { return violation.empty(); }
};

/// Follows all blocks through a schedule between nodes.
template <class AnyNodeSchedule>
class NodeWalk {
 public:
  NodeWalk(const AnyNodeSchedule& schedule, NodeReport& report)
      : schedule_(schedule),
        nodes_(schedule.map().nodes()),
        ranks_(schedule.map().ranks()),
        report_(report),
        blocks_(index(ranks_) * index(ranks_)),
        leaders_(index(nodes_)),
        sent_(index(ranks_)) {}

  void run() {
    require(schedule_.lanes() >= 1, "there are ", schedule_.lanes(), " lanes");
    require(schedule_.between().ranks() == nodes_, "the rounds are for ",
            schedule_.between().ranks(), " nodes, not ", nodes_);
    for (int node = 0; node < nodes_; ++node) check_shares(node);
    pairs_.resize(index(nodes_) * index(nodes_) * index(schedule_.lanes()));
    for (int phase = 0; phase < schedule_.between().phases(); ++phase)
      for (const Round& round : schedule_.between().phase(phase)) walk_round(round, phase);
    const auto rounds = static_cast<std::int64_t>(schedule_.between().rounds().size());
    require(report_.rounds == rounds, "only ", report_.rounds, " of ", rounds,
            " rounds are in a phase");
    check_landed();
    if (schedule_.how() == Between::direct) check_pairs();
    check_turns();
  }

 private:
  static constexpr int kShared = -1;

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  struct Block {
    int hops = 0;          ///< the sum of its hops, its distance from its node
    int holder = kShared;  ///< the rank that has it in its own memory
    int phase = -1;        ///< of its latest hop
  };

  struct Step {
    const Round& round;
    int phase;
    int lane;
  };

  void check_shares(int node) const {
    int next = 0;
    for (int lane = 0; lane < schedule_.lanes(); ++lane) {
      const auto share = schedule_.share(node, lane);
      require(share.begin == next && share.end >= next, "node ", node, ": the share of lane ", lane,
              " is [", share.begin, ", ", share.end, "), not from ", next);
      next = share.end;
    }
    const int size = schedule_.map().size(node);
    require(next == size, "node ", node, ": the shares have ", next, " ranks, not ", size);
  }

  void walk_round(const Round& round, int phase) {
    check_round(round);
    for (int lane = 0; lane < schedule_.lanes(); ++lane) {
      const Step step{.round = round, .phase = phase, .lane = lane};
      find_leaders(step);
      send(step);
      round.blocks.for_each([&](int name) {
        require_in(step, name >= 1 && name < nodes_, "distance ", name, " is not in 1..",
                   nodes_ - 1);
        for (int node = 0; node < nodes_; ++node) walk_pair(step, node, (node + name) % nodes_);
      });
    }
    ++report_.rounds;
  }

  /// Since leaders are on their own nodes, this also proves that no rank sends to itself.
  void check_round(const Round& round) const {
    const auto& set = round.blocks;
    require(round.hop >= 1 && round.hop < nodes_, "round ", report_.rounds, ": hop ", round.hop,
            " is not in 1..", nodes_ - 1);
    require(set.section >= 1 && set.run >= 1 && set.period >= 1, "round ", report_.rounds,
            ": its set has an empty section, run or period");
    for (int node = 0; node < nodes_; ++node) {
      const auto& group = schedule_.between().group();
      const int to = (node + round.hop) % nodes_;
      require(group.add(node, round.hop) == to && group.subtract(to, round.hop) == node,
              "the group of the rounds is not a ring: ", node, " + ", round.hop);
    }
  }

  void find_leaders(const Step& step) {
    for (int node = 0; node < nodes_; ++node) {
      const int rank = schedule_.leader(node, static_cast<int>(report_.rounds), step.lane);
      require_in(step, rank >= 0 && rank < ranks_, "leader ", rank, " is not in 0..", ranks_ - 1);
      require_in(step, schedule_.map().node_of(rank) == node, "leader ", rank, " of node ", node,
                 " is on node ", schedule_.map().node_of(rank));
      leaders_[index(node)] = rank;
    }
  }

  /// Each leader sends one message and, since hops go around the ring, receives one.
  void send(const Step& step) {
    for (int node = 0; node < nodes_; ++node) {
      ++sent_[index(leaders_[index(node)])];
      ++messages(node, (node + step.round.hop) % nodes_, step.lane);
      ++report_.messages;
    }
  }

  void walk_pair(const Step& step, int from, int to) {
    const auto& map = schedule_.map();
    const auto share = schedule_.share(from, step.lane);
    for (int source = share.begin; source < share.end; ++source)
      for (int destination = 0; destination < map.size(to); ++destination)
        walk_block(step, map.rank_of(from, source), map.rank_of(to, destination));
  }

  void walk_block(const Step& step, int source, int destination) {
    Block& block = at(source, destination);
    const int from = where(source, block);
    const int sender = leaders_[index(from)];
    const auto require_block = [&](bool holds, const auto&... parts) {
      require_in(step, holds, "block ", source, " to ", destination, " ", parts...);
    };
    require_block(block.phase != step.phase, "moves twice in phase ", step.phase);
    require_block(from != schedule_.map().node_of(destination), "moves after it landed");
    require_block(block.holder == kShared || block.holder == sender, "is held by rank ",
                  block.holder, " and sent by rank ", sender);
    block.hops += step.round.hop;
    block.phase = step.phase;
    const int to = where(source, block);
    const bool landed = to == schedule_.map().node_of(destination);
    require_block(landed || schedule_.how() != Between::direct, "goes to node ", to,
                  ", not straight");
    block.holder = landed ? kShared : leaders_[index(to)];
    ++report_.blocks;
  }

  void check_landed() {
    for (int source = 0; source < ranks_; ++source)
      for (int destination = 0; destination < ranks_; ++destination) {
        const int end = where(source, at(source, destination));
        require(end == schedule_.map().node_of(destination), "block ", source, " to ", destination,
                " ends on node ", end);
      }
  }

  void check_pairs() {
    for (int from = 0; from < nodes_; ++from)
      for (int to = 0; to < nodes_; ++to)
        for (int lane = 0; lane < schedule_.lanes(); ++lane)
          require(messages(from, to, lane) == (from != to ? 1 : 0), "lane ", lane, ": node ", from,
                  " sends ", messages(from, to, lane), " messages to node ", to);
  }

  /// Checks that turns are dealt out evenly. A turn is one message, or with bruck all rounds of a
  /// lane.
  void check_turns() const {
    const std::int64_t turn = schedule_.how() == Between::direct ? 1 : report_.rounds;
    for (int node = 0; node < nodes_; ++node) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      std::int64_t most = 0;
      for (int local = 0; local < schedule_.map().size(node); ++local) {
        const std::int64_t sent = sent_[index(schedule_.map().rank_of(node, local))];
        least = std::min(least, sent);
        most = std::max(most, sent);
      }
      require(most - least <= turn, "node ", node, ": one rank sends ", most, " messages, another ",
              least);
    }
  }

  Block& at(int source, int destination) {
    return blocks_[index(source) * index(ranks_) + index(destination)];
  }

  int where(int source, const Block& block) const {
    return (schedule_.map().node_of(source) + block.hops) % nodes_;
  }

  int& messages(int from, int to, int lane) {
    return pairs_[(index(from) * index(nodes_) + index(to)) * index(schedule_.lanes()) +
                  index(lane)];
  }

  template <class... Parts>
  void require_in(const Step& step, bool holds, const Parts&... parts) const {
    require(holds, "round ", report_.rounds, ", lane ", step.lane, ": ", parts...);
  }

  const AnyNodeSchedule& schedule_;
  const int nodes_;
  const int ranks_;
  NodeReport& report_;
  std::vector<Block> blocks_;  ///< by source and destination
  std::vector<int> leaders_;   ///< by node, in the current round and lane
  std::vector<int> sent_;      ///< messages, by rank
  std::vector<int> pairs_;     ///< messages, by node, node and lane
};

/// Proves that `schedule` brings every block between ranks of different nodes to its node:
/// - the shares of a node's lanes partition its ranks;
/// - every leader is a rank of its node, and no rank sends to itself;
/// - a block in transit is sent on by the rank that received it; only blocks that have not left
///   their node, or have landed on the node of their destination, are in shared memory;
/// - every block lands, does not move afterwards, and moves at most once in a phase;
/// - with direct messages, a block lands with its first message, there is one message for every
///   ordered pair of nodes and lane, and two ranks of a node differ by at most one in the number of
///   messages that they send;
/// - with bruck, no rank leads two lanes while another rank of its node leads none.
/// Costs O(P^2 + D).
///
/// Assumes that the views of a BlockSet and the hops of between() agree, which check(between())
/// proves, and that the NodeMap is right.
///
/// `schedule` is a NodeSchedule, or any type with the same members.
template <class AnyNodeSchedule>
NodeReport check_node(const AnyNodeSchedule& schedule) {
  NodeReport report;
  try {
    NodeWalk(schedule, report).run();
  } catch (const Violation& violation) {
    report.violation = violation.what();
  }
  return report;
}

}  // namespace rondo::schedule
