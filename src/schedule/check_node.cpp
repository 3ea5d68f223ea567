#include "schedule/check_node.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "schedule/violation.hpp"

// Nodes differ in size and ranks stand anywhere, so that nothing is the same for all ranks, and one
// rank's blocks tell nothing of another's (as they do in check.cpp): every block is followed.

namespace rondo::schedule {

namespace {

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// All blocks on their way through a schedule between nodes.
class NodeWalk {
 public:
  NodeWalk(const NodeRules& rules, NodeReport& report)
      : rules_(rules),
        nodes_(rules.map.nodes()),
        ranks_(rules.map.ranks()),
        report_(report),
        blocks_(index(ranks_) * index(ranks_)),
        carriers_(index(nodes_)),
        sent_(index(ranks_)) {}

  void run() {
    require(rules_.lanes >= 1, "there are ", rules_.lanes, " lanes");
    require(rules_.between.ranks() == nodes_, "rounds are for ", rules_.between.ranks(),
            " nodes of ", nodes_);
    for (int node = 0; node < nodes_; ++node) check_shares(node);
    pairs_.resize(index(nodes_) * index(nodes_) * index(rules_.lanes));
    for (int phase = 0; phase < rules_.between.phases(); ++phase)
      for (const Round& round : rules_.between.phase(phase)) walk_round(round, phase);
    const auto rounds = static_cast<std::int64_t>(rules_.between.rounds().size());
    require(report_.rounds == rounds, "only ", report_.rounds, " of ", rounds,
            " rounds are in a phase");
    check_landed();
    if (rules_.how == Between::direct) check_pairs();
    check_turns();
  }

 private:
  static constexpr int kShared = -1;

  struct Block {
    int hops = 0;          ///< the sum of its hops: how far it is from its node
    int holder = kShared;  ///< the rank in whose own memory it is
    int phase = -1;        ///< of its latest hop
  };

  struct Step {
    const Round& round;
    int phase;
    int lane;
  };

  void check_shares(int node) const {
    int next = 0;
    for (int lane = 0; lane < rules_.lanes; ++lane) {
      const auto share = rules_.share(node, lane);
      require(share.begin == next && share.end >= next, "node ", node, ": the share of lane ", lane,
              " is [", share.begin, ", ", share.end, "), not from ", next);
      next = share.end;
    }
    const int size = rules_.map.size(node);
    require(next == size, "node ", node, ": shares take ", next, " of ", size, " ranks");
  }

  void walk_round(const Round& round, int phase) {
    check_round(round);
    for (int lane = 0; lane < rules_.lanes; ++lane) {
      const Step step{.round = round, .phase = phase, .lane = lane};
      appoint(step);
      send(step);
      round.blocks.for_each([&](int name) {
        require_in(step, name >= 1 && name < nodes_, "distance ", name, " is not in 1..",
                   nodes_ - 1);
        for (int node = 0; node < nodes_; ++node) walk_pair(step, node, (node + name) % nodes_);
      });
    }
    ++report_.rounds;
  }

  /// Together with leaders on their own nodes: that nobody sends to itself.
  void check_round(const Round& round) const {
    const auto& set = round.blocks;
    require(round.hop >= 1 && round.hop < nodes_, "round ", report_.rounds, ": hop ", round.hop,
            " is not in 1..", nodes_ - 1);
    require(set.window >= 1 && set.run >= 1 && set.period >= 1, "round ", report_.rounds,
            ": its set has an empty window, run or period");
    for (int node = 0; node < nodes_; ++node) {
      const auto& group = rules_.between.group();
      const int to = (node + round.hop) % nodes_;
      require(group.add(node, round.hop) == to && group.subtract(to, round.hop) == node,
              "the group of the rounds is no ring: ", node, " + ", round.hop);
    }
  }

  void appoint(const Step& step) {
    for (int node = 0; node < nodes_; ++node) {
      const int rank = rules_.leader(node, static_cast<int>(report_.rounds), step.lane);
      require_in(step, rank >= 0 && rank < ranks_, "leader ", rank, " is not in 0..", ranks_ - 1);
      require_in(step, rules_.map.node_of(rank) == node, "leader ", rank, " of node ", node,
                 " is on node ", rules_.map.node_of(rank));
      carriers_[index(node)] = rank;
    }
  }

  /// Each leader sends one message and, as hops go round the ring, receives one.
  void send(const Step& step) {
    for (int node = 0; node < nodes_; ++node) {
      ++sent_[index(carriers_[index(node)])];
      ++messages(node, (node + step.round.hop) % nodes_, step.lane);
      ++report_.messages;
    }
  }

  void walk_pair(const Step& step, int from, int to) {
    const auto& map = rules_.map;
    const auto share = rules_.share(from, step.lane);
    for (int source = share.begin; source < share.end; ++source)
      for (int destination = 0; destination < map.size(to); ++destination)
        walk_block(step, map.rank_of(from, source), map.rank_of(to, destination));
  }

  void walk_block(const Step& step, int source, int destination) {
    Block& block = at(source, destination);
    const int from = where(source, block);
    const int sender = carriers_[index(from)];
    const auto require_block = [&](bool holds, const auto&... parts) {
      require_in(step, holds, "block ", source, " to ", destination, " ", parts...);
    };
    require_block(block.phase != step.phase, "moves twice in phase ", step.phase);
    require_block(from != rules_.map.node_of(destination), "moves after it landed");
    require_block(block.holder == kShared || block.holder == sender, "is held by rank ",
                  block.holder, " and sent by rank ", sender);
    block.hops += step.round.hop;
    block.phase = step.phase;
    const int to = where(source, block);
    const bool landed = to == rules_.map.node_of(destination);
    require_block(landed || rules_.how != Between::direct, "goes to node ", to, ", not straight");
    block.holder = landed ? kShared : carriers_[index(to)];
    ++report_.blocks;
  }

  void check_landed() {
    for (int source = 0; source < ranks_; ++source)
      for (int destination = 0; destination < ranks_; ++destination) {
        const int end = where(source, at(source, destination));
        require(end == rules_.map.node_of(destination), "block ", source, " to ", destination,
                " ends on node ", end);
      }
  }

  void check_pairs() {
    for (int from = 0; from < nodes_; ++from)
      for (int to = 0; to < nodes_; ++to)
        for (int lane = 0; lane < rules_.lanes; ++lane)
          require(messages(from, to, lane) == (from != to ? 1 : 0), "lane ", lane, ": node ", from,
                  " sends ", messages(from, to, lane), " messages to node ", to);
  }

  /// Turns are dealt out evenly: a turn is one message, or with bruck a lane for all of its rounds.
  void check_turns() const {
    const std::int64_t turn = rules_.how == Between::direct ? 1 : report_.rounds;
    for (int node = 0; node < nodes_; ++node) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      std::int64_t most = 0;
      for (int local = 0; local < rules_.map.size(node); ++local) {
        const std::int64_t sent = sent_[index(rules_.map.rank_of(node, local))];
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
    return (rules_.map.node_of(source) + block.hops) % nodes_;
  }

  int& messages(int from, int to, int lane) {
    return pairs_[(index(from) * index(nodes_) + index(to)) * index(rules_.lanes) + index(lane)];
  }

  template <class... Parts>
  void require_in(const Step& step, bool holds, const Parts&... parts) const {
    require(holds, "round ", report_.rounds, ", lane ", step.lane, ": ", parts...);
  }

  const NodeRules& rules_;
  const int nodes_;
  const int ranks_;
  NodeReport& report_;
  std::vector<Block> blocks_;  ///< by source and destination
  std::vector<int> carriers_;  ///< by node, in the round and lane that are walked
  std::vector<int> sent_;      ///< messages, by rank
  std::vector<int> pairs_;     ///< messages, by node, node and lane
};

int ranks_of(const NodeMapTable& map) {
  return static_cast<int>(map.position_of.size());
}

int nodes_of(const NodeMapTable& map) {
  return static_cast<int>(map.size.size());
}

/// position_of() has an inverse, so it is a permutation.
void check_positions(const NodeMapTable& map) {
  for (int rank = 0; rank < ranks_of(map); ++rank) {
    const int position = map.position_of[index(rank)];
    require(position >= 0 && position < ranks_of(map), "position_of(", rank, ") is ", position);
    require(map.rank_at[index(position)] == rank, "rank_at(", position, ") is not ", rank);
  }
}

void check_sizes(const NodeMapTable& map) {
  int common = 0;
  int smallest = ranks_of(map);
  int largest = 0;
  int next = 0;
  for (int node = 0; node < nodes_of(map); ++node) {
    const int size = map.size[index(node)];
    require(size >= 1, "node ", node, " has ", size, " ranks");
    require(map.first[index(node)] == next, "first(", node, ") is not ", next);
    next += size;
    common = std::gcd(common, size);
    smallest = std::min(smallest, size);
    largest = std::max(largest, size);
  }
  require(map.first.back() == next && next == ranks_of(map), "sizes sum up to ", next, " and ",
          map.first.back(), ", not to ", ranks_of(map));
  require(map.common_size == common, "common_size() is not ", common);
  require(map.smallest_size == smallest, "smallest_size() is not ", smallest);
  require(map.largest_size == largest, "largest_size() is not ", largest);
}

void check_places(const NodeMapTable& map) {
  for (int node = 0; node < nodes_of(map); ++node)
    for (int local = 0; local < map.size[index(node)]; ++local) {
      const int rank = map.rank_at[index(map.first[index(node)] + local)];
      require(map.node_of[index(rank)] == node, "node_of(", rank, ") is not ", node);
      require(map.local_of[index(rank)] == local, "local_of(", rank, ") is not ", local);
      require(map.rank_of[index(node)][index(local)] == rank, "rank_of(", node, ", ", local,
              ") is not ", rank);
    }
}

void check_order(const NodeMapTable& map, std::span<const int> number) {
  for (int position = 1; position < ranks_of(map); ++position) {
    const int rank = map.rank_at[index(position)];
    const int before = map.rank_at[index(position - 1)];
    const bool starts = map.local_of[index(rank)] == 0;
    require(starts || before < rank, "ranks ", before, " and ", rank, " do not ascend");
    require(starts ? number[index(before)] < number[index(rank)]
                   : number[index(before)] == number[index(rank)],
            "ranks ", before, " and ", rank, starts ? " start a node" : " share a node",
            " with numbers ", number[index(before)], " and ", number[index(rank)]);
  }
}

}  // namespace

NodeRules rules_of(const NodeSchedule& schedule) {
  return {
      .map = schedule.map(),
      .how = schedule.how(),
      .lanes = schedule.lanes(),
      .between = schedule.between(),
      .leader = [schedule](int node, int round,
                           int lane) { return schedule.leader(node, round, lane); },
      .share = [schedule](int node, int lane) { return schedule.share(node, lane); },
  };
}

NodeReport check_node(const NodeRules& rules) {
  NodeReport report;
  try {
    NodeWalk(rules, report).run();
  } catch (const Violation& violation) {
    report.violation = violation.what();
  }
  return report;
}

NodeReport check_node(const NodeSchedule& schedule) {
  return check_node(rules_of(schedule));
}

NodeMapTable table_of(const NodeMap& map) {
  NodeMapTable table;
  table.common_size = map.common_size();
  table.smallest_size = map.smallest_size();
  table.largest_size = map.largest_size();
  for (int rank = 0; rank < map.ranks(); ++rank) {
    table.node_of.push_back(map.node_of(rank));
    table.local_of.push_back(map.local_of(rank));
    table.position_of.push_back(map.position_of(rank));
    table.rank_at.push_back(map.rank_at(rank));
  }
  for (int node = 0; node < map.nodes(); ++node) {
    table.size.push_back(map.size(node));
    auto& ranks = table.rank_of.emplace_back();
    for (int local = 0; local < map.size(node); ++local) ranks.push_back(map.rank_of(node, local));
  }
  for (int node = 0; node <= map.nodes(); ++node) table.first.push_back(map.first(node));
  return table;
}

std::string check_node_map(const NodeMapTable& map, std::span<const int> node_of_rank) try {
  require(map.position_of.size() == node_of_rank.size(), "it has ", map.position_of.size(),
          " ranks of ", node_of_rank.size());
  check_positions(map);
  check_sizes(map);
  check_places(map);
  check_order(map, node_of_rank);
  return {};
} catch (const Violation& violation) {
  return violation.what();
}

std::string check_node_map(const NodeMap& map, std::span<const int> node_of_rank) {
  return check_node_map(table_of(map), node_of_rank);
}

}  // namespace rondo::schedule
