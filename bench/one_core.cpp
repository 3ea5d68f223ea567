#include "one_core.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error.hpp"

namespace rondo::bench {

namespace {

void check_system(int code, const char* what) {
  if (code != 0) throw Error(ErrorClass::other, text(what, " failed: ", std::strerror(errno)));
}

std::vector<std::uint64_t> cores_of(const cpu_set_t& set) {
  std::vector<std::uint64_t> cores;
  for (std::uint64_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

cpu_set_t only(std::uint64_t core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  return set;
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
  const std::vector<std::uint64_t> cores = cores_of(before_);
  const support::Communicator node = comm.of_node();
  std::uint64_t core = cores.front();
  support::all_reduce(node, {&core, 1}, MPI_MIN);
  one_ = only(core);
  own_ = only(cores[static_cast<std::size_t>(node.rank()) % cores.size()]);
}

void OneCore::begin(int iteration) const {
  if (!stretch_) return;
  if (iteration == stretch_->from) run_on(one_);
  if (iteration != stretch_->to) return;
  // On a busy machine ranks that may leave the core stay there for seconds unless each is sent away.
  run_on(own_);
  run_on(before_);
}

}  // namespace rondo::bench
