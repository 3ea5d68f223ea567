// The rounds of a schedule as vectors that a test can spoil, and back.
#pragma once

#include <vector>

#include "schedule/schedule.hpp"

namespace rondo::schedule {

using Phases = std::vector<std::vector<Round>>;

inline Phases phases_of(const Schedule& schedule) {
  Phases phases;
  for (int index = 0; index < schedule.phases(); ++index) {
    const auto rounds = schedule.phase(index);
    phases.emplace_back(rounds.begin(), rounds.end());
  }
  return phases;
}

inline Schedule rebuild(const Group& group, const Phases& phases) {
  Schedule schedule(group);
  for (const auto& rounds : phases) {
    schedule.begin_phase();
    for (const Round& round : rounds) schedule.add_round(round);
  }
  return schedule;
}

}  // namespace rondo::schedule
