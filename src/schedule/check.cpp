#include "schedule/check.hpp"

#include <algorithm>
#include <vector>

// Why it is enough to follow the blocks of rank 0:
//
// All ranks do the same in relative terms, and names form an abelian group (check_group).
// Translation by p maps rank 0 to rank p, keeps names, and commutes with every hop: add(add(p, a),
// h) = add(p, add(a, h)). So whenever block i of rank 0 is at rank a, block i of rank p is at rank
// add(p, a), and it has arrived at add(p, i) exactly when a = i. Hence
// - delivery, order and disjointness hold for all ranks if they hold for rank 0;
// - every rank holds exactly one block of every name, so as many of rank 0's blocks are in transit
//   at all ranks as blocks of all ranks are in transit at rank 0, and D counts the sends of every
//   rank;
// - sends match receives: in a round, rank p sends to add(p, h), which receives from
//   subtract(add(p, h), h) = p; no rank sends to itself, since only the name 0 leads nowhere.

namespace rondo::schedule {

namespace {

/// Follows rank 0's blocks through a schedule.
class Walk {
 public:
  Walk(const Schedule& schedule, Report& report)
      : schedule_(schedule),
        ranks_(schedule.ranks()),
        report_(report),
        blocks_(static_cast<std::size_t>(std::max(ranks_, 0))) {}

  void run() {
    for (int phase = 0; phase < schedule_.phases(); ++phase) walk_phase(phase);
    require(static_cast<std::size_t>(report_.rounds) == schedule_.rounds().size(), "only ",
            report_.rounds, " of ", schedule_.rounds().size(), " rounds are in a phase");
    for (int name = 1; name < ranks_; ++name)
      require(at(name).rank == name, "block ", name, " ends ", at(name).rank, " ranks away");
  }

 private:
  struct Block {
    int rank = 0;
    int phase = -1;  ///< of its latest hop
  };

  Block& at(int name) { return blocks_[static_cast<std::size_t>(name)]; }

  void walk_phase(int phase) {
    const auto rounds = schedule_.phase(phase);
    require(!rounds.empty(), "phase ", phase, " has no rounds");
    for (const Round& round : rounds) {
      check_set(round.blocks);
      walk_round(round, phase);
      ++report_.rounds;
    }
    report_.in_transit = std::max(report_.in_transit, in_transit_);
  }

  void walk_round(const Round& round, int phase) {
    require_here(round.hop >= 1 && round.hop < ranks_, "hop ", round.hop, " is not in 1..",
                 ranks_ - 1);
    round.blocks.for_each([&](int name) {
      require_here(name >= 1 && name < ranks_, "block ", name, " is not in 1..", ranks_ - 1);
      walk_hop(round, name, phase);
    });
  }

  void walk_hop(const Round& round, int name, int phase) {
    Block& block = at(name);
    const bool first = block.phase < 0;
    require_here(block.phase != phase, "block ", name, " moves twice in phase ", phase);
    require_here(first || block.rank != name, "block ", name, " moves after it arrived");
    block.rank = schedule_.group().add(block.rank, round.hop);
    block.phase = phase;
    const bool last = block.rank == name;
    require_here(round.is_first_hop(name) == first, "is_first_hop(", name, ") is wrong");
    require_here(round.is_last_hop(name) == last, "is_last_hop(", name, ") is wrong");
    in_transit_ += (first ? 1 : 0) - (last ? 1 : 0);
    ++report_.blocks;
  }

  /// Checks that the three views of a set agree. Looking at every name would make this O(P K).
  /// contains() is a step function, so the names of the runs and those next to them suffice.
  void check_set(const BlockSet& set) {
    require_here(set.ranks == ranks_, "its set is for ", set.ranks, " ranks, not ", ranks_);
    require_here(set.section >= 1 && set.run >= 1 && set.period >= 1,
                 "its set has an empty section, run or period");
    std::int64_t count = 0;
    int gap = 0;
    set.for_each_run([&](int begin, int end) {
      for (int name = begin; name < end; ++name)
        require_here(set.contains(name), "contains(", name, ") is false");
      check_gap(set, gap, begin);
      gap = end;
      count += end - begin;
    });
    check_gap(set, gap, ranks_);
    require_here(count > 0, "it has no blocks");
    require_here(set.size() == count, "size() is ", set.size(), " for ", count, " blocks");
  }

  void check_gap(const BlockSet& set, int begin, int end) {
    if (begin >= end) return;
    require_here(!set.contains(begin), "contains(", begin, ") is true");
    require_here(!set.contains(end - 1), "contains(", end - 1, ") is true");
  }

  template <class... Parts>
  void require_here(bool holds, const Parts&... parts) const {
    require(holds, "round ", report_.rounds, ": ", parts...);
  }

  const Schedule& schedule_;
  const int ranks_;
  Report& report_;
  std::vector<Block> blocks_;
  std::int64_t in_transit_ = 0;
};

/// Returns names whose sums are all other names, in any kind of group: powers of two for exclusive
/// or, 1 for a ring, 1 and `per_node` for a torus.
std::vector<int> generators(const Group& group) {
  std::vector<int> names;
  for (int name = 1; name < group.ranks(); name *= 2) names.push_back(name);
  if (group.nodes() > 1) names.push_back(group.per_node());
  return names;
}

void require_laws(const Group& group, int a, int b) {
  const int sum = group.add(a, b);
  require(sum >= 0 && sum < group.ranks(), a, " + ", b, " is ", sum, ", not a rank");
  require(sum == group.add(b, a), a, " + ", b, " is not ", b, " + ", a);
  require(group.subtract(sum, b) == a, a, " + ", b, " - ", b, " is not ", a);
  require(group.difference(sum, a) == b, a, " + ", b, " - ", a, " is not ", b);
}

}  // namespace

Report check(const Schedule& schedule) {
  Report report;
  try {
    Walk(schedule, report).run();
  } catch (const Violation& violation) {
    report.violation = violation.what();
  }
  return report;
}

std::string check_group(const Group& group) try {
  const auto middle = generators(group);
  for (int a = 0; a < group.ranks(); ++a) {
    require(group.add(a, 0) == a, a, " + 0 is not ", a);
    for (int b = 0; b < group.ranks(); ++b) {
      require_laws(group, a, b);
      // Light's test: associativity with every generator in the middle implies associativity.
      for (int g : middle)
        require(group.add(group.add(a, g), b) == group.add(a, group.add(g, b)), "(", a, " + ", g,
                ") + ", b, " depends on the order");
    }
  }
  return {};
} catch (const Violation& violation) {
  return violation.what();
}

}  // namespace rondo::schedule
