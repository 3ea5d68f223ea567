// The rounds of a schedule as vectors that a test can spoil, and back.
#pragma once

#include <vector>

#include "schedule/schedule.hpp"
#include "seed.hpp"

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

/// Makes a change that leaves no schedule valid: a hop, a block of a round, a round more or less.
inline void spoil(Phases& phases, int group_size, std::mt19937_64& random) {
  auto& phase = phases[random() % phases.size()];
  const auto at = static_cast<std::ptrdiff_t>(random() % phase.size());
  Round& round = phase[static_cast<std::size_t>(at)];
  switch (random() % 4) {
    case 0:
      round.hop = (round.hop + test::random_in(random, 1, group_size - 1)) % group_size;
      break;
    case 1:
      round.blocks.first += random() % 2 != 0 ? 1 : -1;
      break;
    case 2:
      phase.push_back(round);
      break;
    default:
      phase.erase(phase.begin() + at);
  }
}

}  // namespace rondo::schedule
