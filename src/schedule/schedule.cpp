#include "schedule/schedule.hpp"

#include <bit>

namespace rondo::schedule {

std::span<const Round> Schedule::phase(int index) const {
  const auto at = static_cast<std::size_t>(index);
  const std::size_t begin = phase_begin_[at];
  const std::size_t end = at + 1 < phase_begin_.size() ? phase_begin_[at + 1] : rounds_.size();
  return std::span(rounds_).subspan(begin, end - begin);
}

namespace {

/// Returns the round in which only the block `name` travels, straight to its rank.
Round straight(int ranks, int name) {
  return {.hop = name,
          .blocks = {.ranks = ranks, .section = ranks, .first = name, .run = 1, .period = ranks}};
}

/// Adds one layer of Bruck over `length` positions in every section of `section` names. Each position
/// stands for `unit` consecutive names.
void add_bruck_layer(Schedule& schedule, int length, int radix, int unit, int section) {
  for (long power = 1; power < length; power *= radix) {
    schedule.begin_phase();
    const long period = std::min<long>(power * radix, length);
    for (int value = 1; value < radix && value * power < length; ++value) {
      const int hop = static_cast<int>(value * power) * unit;
      schedule.add_round({.hop = hop,
                          .blocks = {.ranks = schedule.ranks(),
                                     .section = section,
                                     .first = hop,
                                     .run = static_cast<int>(power) * unit,
                                     .period = static_cast<int>(period) * unit}});
    }
  }
}

}  // namespace

Schedule linear(int ranks, int window) {
  Schedule schedule(Group::ring(ranks));
  for (int name = 1; name < ranks; ++name) {
    if ((name - 1) % std::max(window, 1) == 0) schedule.begin_phase();
    schedule.add_round(straight(ranks, name));
  }
  return schedule;
}

Schedule pairwise(int ranks) {
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(ranks));
  Schedule schedule(power_of_two ? Group::exclusive_or(ranks) : Group::ring(ranks));
  for (int name = 1; name < ranks; ++name) {
    schedule.begin_phase();
    schedule.add_round(straight(ranks, name));
  }
  return schedule;
}

Schedule bruck(int ranks, int radix) {
  Schedule schedule(Group::ring(ranks));
  add_bruck_layer(schedule, ranks, radix, 1, ranks);
  return schedule;
}

Schedule two_layer(int nodes, int per_node, int intra_radix, int inter_radix) {
  Schedule schedule(Group::torus(nodes, per_node));
  add_bruck_layer(schedule, per_node, intra_radix, 1, per_node);
  add_bruck_layer(schedule, nodes, inter_radix, per_node, nodes * per_node);
  return schedule;
}

}  // namespace rondo::schedule
