// Whether Rondo can be preloaded into a program.
#pragma once

#include <string>
#include <vector>

#include "interpose/exec/program.hpp"

namespace rondo::interpose {

struct Verdict {
  std::vector<std::string> preloads;  ///< file names of preload libraries, the most general first
  std::string reason;                 ///< if there are none, what the program is
};

/// `folder` holds the preload library and the parts. Throws CannotStart where preloading would be
/// wrong and starting the program without it is not what was meant.
Verdict judge(const Program& program, const std::string& folder);

}  // namespace rondo::interpose
