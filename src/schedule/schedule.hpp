// A schedule as data: which blocks travel how far in which round. It is the same for all ranks.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "schedule/group.hpp"

namespace rondo::schedule {

/// The names of the blocks that travel in one round, described instead of listed.
///
/// Names 0..ranks-1 are divided into sections of `section` names. In every section the set holds the
/// runs [first + k * period, first + k * period + run), k = 0, 1, ..., cut at the end of the
/// section. For the names whose digit x is z in radix r: first = z * r^x, run = r^x, period =
/// r^(x+1).
struct BlockSet {
  int ranks = 0;
  int section = 0;
  int first = 0;
  int run = 0;
  int period = 0;

  /// Calls visit(begin, end) for every run of consecutive names, in ascending order.
  template <class Visit>
  void for_each_run(Visit&& visit) const {
    for (int base = 0; base < ranks; base += section)
      for (long at = first; at < section; at += period)
        visit(base + static_cast<int>(at),
              base + static_cast<int>(std::min<long>(at + run, section)));
  }

  /// Calls visit(name) for every name, in ascending order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_run([&](int begin, int end) {
      for (int name = begin; name < end; ++name) visit(name);
    });
  }

  /// Computed without a visit to every run, since cost models ask for thousands of sizes.
  int size() const {
    const int span = std::max(section - first, 0);
    const int sections = (ranks + section - 1) / section;
    return sections * (span / period * run + std::min(span % period, run));
  }

  bool contains(int name) const {
    const int inside = name % section - first;
    return inside >= 0 && inside % period < run;
  }
};

/// One message sent and one message received by every rank: the blocks of `blocks` move by `hop`.
struct Round {
  int hop = 0;
  BlockSet blocks;

  /// Whether a block of this round has not moved before, because its lower digits are all zero.
  bool is_first_hop(int name) const { return name % blocks.section % blocks.run == 0; }

  /// Whether a block of this round arrives with it, because its higher digits are all zero.
  bool is_last_hop(int name) const { return name < blocks.period; }
};

/// Rounds in phases. The rounds of a phase move disjoint blocks and do not depend on each other, so
/// they may all be in flight together.
class Schedule {
 public:
  explicit Schedule(Group group) : group_(group) {}

  const Group& group() const { return group_; }
  int ranks() const { return group_.ranks(); }
  const std::vector<Round>& rounds() const { return rounds_; }
  int phases() const { return static_cast<int>(phase_begin_.size()); }
  std::span<const Round> phase(int index) const;

  /// Calls visit(rounds) for every batch of at most `ports` rounds of one phase, in order.
  template <class Visit>
  void for_each_batch(int ports, Visit&& visit) const {
    for (int index = 0; index < phases(); ++index) {
      auto rest = phase(index);
      while (!rest.empty()) {
        const auto now = std::min(rest.size(), static_cast<std::size_t>(std::max(ports, 1)));
        visit(rest.first(now));
        rest = rest.subspan(now);
      }
    }
  }

  void begin_phase() { phase_begin_.push_back(rounds_.size()); }
  void add_round(const Round& round) { rounds_.push_back(round); }

 private:
  Group group_;
  std::vector<Round> rounds_;
  std::vector<std::size_t> phase_begin_;
};

/// P-1 rounds. Every block goes straight to its rank. `window` rounds are in flight together.
Schedule linear(int ranks, int window);

/// P-1 rounds, one at a time. If the number of ranks is a power of two, each is an exchange with
/// one partner (exclusive or); otherwise round i sends to the rank i above and receives from the
/// rank i below.
Schedule pairwise(int ranks);

/// ceil(log_r P) phases, one for each digit; TRA paper, section III. A radix above P acts as P.
Schedule bruck(int ranks, int radix);

/// bruck(Q, intra) on every node at once, then bruck(N, inter) between nodes; TRA paper, section
/// IV, with the errors in its pseudo-code corrected. Positions are node-major.
Schedule two_layer(int nodes, int per_node, int intra_radix, int inter_radix);

}  // namespace rondo::schedule
