// Moves the ranks of a node onto one core in the middle of a measurement, as what shares a machine with a
// program can do.
#pragma once

#include <sched.h>

#include <optional>

#include "stretch.hpp"
#include "support/communicator.hpp"

namespace rondo::bench {

class OneCore {
 public:
  /// Collective. Nothing moves without a `stretch`.
  OneCore(const support::Communicator& comm, std::optional<Stretch> stretch);

  /// Call this at the start of each iteration.
  void begin(int iteration) const;

 private:
  std::optional<Stretch> stretch_;
  cpu_set_t before_{};
  cpu_set_t one_{};
  cpu_set_t own_{};  ///< a core of this rank's
};

}  // namespace rondo::bench
