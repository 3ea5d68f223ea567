#include "support/core_time.hpp"

#include <algorithm>
#include <sstream>
#include <string>

namespace rondo::support {

std::optional<CoreTime> core_time_in(std::string_view stat, double ticks_per_second) {
  std::istringstream words{std::string(stat)};
  std::string name;
  double user = 0;
  double nice = 0;
  double system = 0;
  double idle = 0;
  double waiting = 0;
  // Interrupts are left out: they may serve the ranks' own messages.
  double interrupts = 0;
  double stolen = 0;
  words >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> interrupts >> stolen;
  const double busy = user + nice + system;
  if (!words || name != "cpu" || busy == 0) return std::nullopt;
  return CoreTime{.busy = busy / ticks_per_second, .stolen = stolen / ticks_per_second};
}

double share_taken(const Watched& watched) {
  if (watched.seconds <= 0 || watched.ranks < 1 || watched.cores < 1) return 0;
  const double used = std::min(watched.ranks, watched.cores);
  const double free = watched.cores - used;
  const double others = (watched.all.busy - watched.own) / watched.seconds;
  const double stolen = watched.all.stolen / watched.seconds * used / watched.cores;
  return std::clamp((std::max(others - free, 0.0) + stolen) / used, 0.0, 1.0);
}

}  // namespace rondo::support
