// Tells machines apart. With containers one machine has many host names, and machines may have the same one.
#pragma once

#include <string>

#include "base/file.hpp"

namespace rondo {

/// Returns the id that the running kernel has had since it booted; empty if the system hides it.
inline std::string kernel_id() {
  const std::string contents = try_to_read("/proc/sys/kernel/random/boot_id").text;
  return contents.substr(0, contents.find('\n'));
}

}  // namespace rondo
