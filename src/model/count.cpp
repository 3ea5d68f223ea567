#include "model/count.hpp"

namespace rondo::model {

std::int64_t rounds(const schedule::Schedule& schedule) {
  return static_cast<std::int64_t>(schedule.rounds().size());
}

std::int64_t blocks(const schedule::Schedule& schedule) {
  std::int64_t sum = 0;
  for (const schedule::Round& round : schedule.rounds()) sum += round.blocks.size();
  return sum;
}

}  // namespace rondo::model
