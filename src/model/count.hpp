// Rounds and blocks of a schedule, counted.
#pragma once

#include <cstdint>

#include "schedule/schedule.hpp"

namespace rondo::model {

/// K: messages that a rank sends.
std::int64_t rounds(const schedule::Schedule& schedule);

/// D: blocks that a rank sends over all rounds.
std::int64_t blocks(const schedule::Schedule& schedule);

}  // namespace rondo::model
