#include "one_core.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace rondo::bench {

namespace {

void check_system(int code, const char* what) {
  if (code != 0) throw Error(ErrorClass::other, text(what, " failed: ", std::strerror(errno)));
}

std::uint64_t lowest_core(const cpu_set_t& set) {
  std::uint64_t core = 0;
  while (core + 1 < CPU_SETSIZE && !CPU_ISSET(core, &set)) ++core;
  return core;
}

void run_on(const cpu_set_t& set) {
  check_system(sched_setaffinity(0, sizeof set, &set), "sched_setaffinity");
}

}  // namespace

/// Ranks may be bound to different cores, so they agree on the lowest.
OneCore::OneCore(const support::Communicator& comm, std::optional<Stretch> stretch)
    : stretch_(stretch) {
  if (!stretch_) return;
  check_system(sched_getaffinity(0, sizeof before_, &before_), "sched_getaffinity");
  std::uint64_t core = lowest_core(before_);
  support::all_reduce(comm.of_node(), {&core, 1}, MPI_MIN);
  CPU_ZERO(&one_);
  CPU_SET(core, &one_);
}

void OneCore::begin(int iteration) const {
  if (!stretch_) return;
  if (iteration == stretch_->from) run_on(one_);
  if (iteration == stretch_->to) run_on(before_);
}

}  // namespace rondo::bench
