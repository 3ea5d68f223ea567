// Which process a rank is. In containers host names and process ids repeat, and one machine has many
// host names.
#pragma once

#include <array>
#include <cstdint>

namespace rondo::gpu {

struct ProcessName {
  std::array<char, 40> kernel{};    ///< the id of the running kernel since it booted
  std::array<char, 64> host{};      ///< for people
  std::uint64_t pid_namespace = 0;  ///< in which `process` counts
  std::int64_t process = 0;
};

/// That of the calling process. Where the kernel hides its id, the host's name stands for it.
ProcessName own_process_name();

inline bool on_one_machine(const ProcessName& one, const ProcessName& other) {
  return one.kernel == other.kernel;
}

inline bool is_one_process(const ProcessName& one, const ProcessName& other) {
  return on_one_machine(one, other) && one.pid_namespace == other.pid_namespace &&
         one.process == other.process;
}

}  // namespace rondo::gpu
