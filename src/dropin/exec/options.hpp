// The command line of rondo-exec, and the settings in its environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rondo::dropin {

struct Options {
  std::vector<std::pair<const char*, std::string>>
      variables{};                ///< to set in the program's environment
  bool is_via_component = false;  ///< whether Open MPI loads Rondo; otherwise it is preloaded
  char** program = nullptr;       ///< with its arguments; null if there is an answer
  const char* answer = nullptr;   ///< what --help or --version prints; null otherwise
};

/// Parses `words`, which end with a null pointer. Throws WrongUse if they are wrong. A profile
/// that cannot be read is ignored with a warning, since a file need not exist on all nodes.
Options parse_options(char** words);

/// Throws WrongUse or Error if wrong settings would end the program at its first exchange.
/// Checks on rank 0 only, whose settings most communicators use, and only if Rondo is not disabled.
void check_settings();

}  // namespace rondo::dropin
