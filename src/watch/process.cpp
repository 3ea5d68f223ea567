#include "watch/process.hpp"

#include <signal.h>

#include <cerrno>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"

namespace rondo::watch {

namespace {

bool is_there(std::int64_t process) {
  return kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

}  // namespace

/// The state is the letter after the name, which stands in brackets and may have any letters itself. It cannot be read
/// without a descriptor that is free.
Activity activity_of(std::int64_t process) {
  const std::string line = try_to_read(text("/proc/", process, "/stat")).text;
  const std::size_t name_end = line.rfind(") ");
  if (name_end == line.npos || name_end + 2 >= line.size())
    return is_there(process) ? Activity::sleeps : Activity::ended;
  switch (line[name_end + 2]) {
    case 'R':
      return Activity::runs;
    case 'T':
    case 't':
      return Activity::stopped;
    case 'Z':
    case 'X':
      return Activity::ended;
    default:
      return Activity::sleeps;
  }
}

}  // namespace rondo::watch
