// Whether Rondo can be preloaded into a program.
#pragma once

#include <string>

#include "interpose/exec/program.hpp"

namespace rondo::interpose {

struct Verdict {
  bool is_preloaded = false;
  std::string reason;  ///< if not, what the program is
};

/// `folder` holds the preload library and the parts. Throws CannotStart where preloading would be
/// wrong and starting the program without it is not what was meant.
Verdict judge(const Program& program, const std::string& folder);

}  // namespace rondo::interpose
