// How the checkers report a violation: they stop at the first one and give its numbers.
#pragma once

#include <stdexcept>

#include "base/error.hpp"

namespace rondo::schedule {

struct Violation : std::runtime_error {
  using runtime_error::runtime_error;
};

/// Throws Violation(parts) unless `holds`.
template <class... Parts>
void require(bool holds, const Parts&... parts) {
  if (!holds) throw Violation(text(parts...));
}

}  // namespace rondo::schedule
