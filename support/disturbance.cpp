#include "support/disturbance.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <functional>

#include "base/file.hpp"
#include "support/cluster.hpp"

namespace rondo::support {

namespace {

constexpr double kLeastSeconds = 0.25;

/// Namespaces of one machine have the same.
int machine_number() {
  const std::string boot = try_to_read("/proc/sys/kernel/random/boot_id").text;
  return static_cast<int>(std::hash<std::string>{}(boot)&0x7fffffffU);
}

double own_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

std::string disturbance_text(double taken) {
  if (taken <= kMostTaken) return "";
  return fmt::format("other programs took {:.0f} % of the cores", 100 * taken);
}

Disturbance::Disturbance(const Communicator& comm)
    : comm_(comm), machine_(comm.split(machine_number())) {
  begin();
}

void Disturbance::begin() {
  begin_ = read();
  taken_ = 0;
}

Disturbance::Reading Disturbance::read() const {
  Reading reading{.at = MPI_Wtime(), .own = own_seconds(), .all = std::nullopt};
  if (machine_.rank() == 0)
    reading.all =
        core_time_in(try_to_read("/proc/stat").text, static_cast<double>(sysconf(_SC_CLK_TCK)));
  return reading;
}

double Disturbance::taken() {
  const Reading end = read();
  if (is_long_enough(end)) {
    taken_ = share_until(end);
    begin_ = end;
  }
  return taken_;
}

bool Disturbance::is_long_enough(const Reading& end) const {
  double seconds = end.at - begin_.at;
  all_reduce(comm_, {&seconds, 1}, MPI_MIN);
  return seconds >= kLeastSeconds;
}

double Disturbance::share_until(const Reading& end) const {
  double own = end.own - begin_.own;
  all_reduce(machine_, {&own, 1}, MPI_SUM);
  double taken = 0;
  if (begin_.all && end.all)
    taken = share_taken({.seconds = end.at - begin_.at,
                         .all = {.busy = end.all->busy - begin_.all->busy,
                                 .stolen = end.all->stolen - begin_.all->stolen},
                         .own = own,
                         .ranks = machine_.ranks(),
                         .cores = static_cast<int>(cores())});
  all_reduce(comm_, {&taken, 1}, MPI_MAX);
  return taken;
}

}  // namespace rondo::support
