#include "schedule/node_schedule.hpp"

#include <algorithm>
#include <utility>

namespace rondo::schedule {

NodeSchedule::NodeSchedule(NodeMap map, Between how, int radix, int parts)
    : map_(std::move(map)),
      how_(how),
      lanes_(std::min(parts, map_.smallest_size())),
      between_(how == Between::direct ? linear(map_.nodes(), map_.nodes())
                                      : bruck(map_.nodes(), radix)) {}

}  // namespace rondo::schedule
