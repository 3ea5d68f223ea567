#include "dropin/report/report.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace rondo::dropin {

namespace {

const double g_loaded = now_in_seconds();

/// The least share of a run that is worth a closer look: `--ab` cannot tell a smaller gain from none.
constexpr double kLeastShare = 0.03;

/// Of a shorter run, MPI_Init and what the program does once are a large part, so its share says little.
constexpr double kLeastSeconds = 5;

}  // namespace

double run_seconds() {
  constexpr int kStartField = 22;  // of /proc/PID/stat, in clock ticks since boot
  constexpr int kFirstField = 3;   // after the program's name, which may contain spaces
  const std::string line = try_to_read("/proc/self/stat").text;
  std::string_view rest = std::string_view(line).substr(std::min(line.rfind(')'), line.size()));
  for (int field = kFirstField; field <= kStartField; ++field)
    rest = rest.substr(std::min(rest.find(' ', 1), rest.size()));
  long long ticks = 0;
  timespec now{};
  if (rest.empty() || clock_gettime(CLOCK_BOOTTIME, &now) != 0 ||
      std::from_chars(rest.data() + 1, rest.data() + rest.size(), ticks).ec != std::errc())
    return now_in_seconds() - g_loaded;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
         static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string share_text(double exchange_seconds, double run_seconds, int ranks) {
  if (exchange_seconds == 0) return {};
  const double share = exchange_seconds / run_seconds;
  // Rondo may be the reason why the share is small.
  const char* const next = share >= kLeastShare
                               ? ": --ab shows whether Rondo makes the program faster"
                           : run_seconds < kLeastSeconds * ranks
                               ? ""
                               : ": stop here, unless --ab shows that they took more without Rondo";
  return fmt::format(
      "rondo: blocking exchanges took {:.1f} % of this run, {:.3f} of {:.3f} s on an average rank"
      "{}\n",
      100 * share, exchange_seconds / ranks, run_seconds / ranks, next);
}

}  // namespace rondo::dropin
