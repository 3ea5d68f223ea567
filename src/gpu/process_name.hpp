// Identifies the process of a rank. With containers, process ids repeat.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "base/system.hpp"

namespace rondo::gpu {

struct ProcessName {
  std::array<char, 40> kernel{};    ///< the id of the running kernel since it booted
  std::array<char, 64> host{};      ///< for messages only
  std::uint64_t pid_namespace = 0;  ///< of `process`
  std::int64_t process = 0;
};

/// Returns the name of the calling process. If the kernel hides its id, the host's name replaces
/// it.
inline ProcessName own_process_name() {
  ProcessName name;
  gethostname(name.host.data(), name.host.size() - 1);
  std::string kernel = kernel_id();
  if (kernel.empty()) kernel = name.host.data();
  kernel.copy(name.kernel.data(), name.kernel.size() - 1);
  struct stat status {};
  if (stat("/proc/self/ns/pid", &status) == 0) name.pid_namespace = status.st_ino;
  name.process = getpid();
  return name;
}

inline bool on_one_machine(const ProcessName& one, const ProcessName& other) {
  return one.kernel == other.kernel;
}

inline bool is_one_process(const ProcessName& one, const ProcessName& other) {
  return on_one_machine(one, other) && one.pid_namespace == other.pid_namespace &&
         one.process == other.process;
}

}  // namespace rondo::gpu
