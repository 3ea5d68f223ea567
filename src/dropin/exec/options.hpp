// The command line of rondo-exec, and the settings of its environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rondo::dropin {

struct Options {
  std::vector<std::pair<const char*, std::string>> variables{};  ///< for the program's environment
  char** program = nullptr;      ///< with its arguments; null where there is an answer
  const char* answer = nullptr;  ///< what --help or --version prints instead of starting it
};

/// `words` end with a null pointer. Throws CannotStart where they make no sense. A profile that
/// cannot be read is left out, and that is said: a file need not be there on all nodes.
Options parse_options(char** words);

/// Throws CannotStart or Error where the program would end at its first exchange, since the
/// settings make no sense. Only on rank 0, whose settings are those of most communicators, and
/// unless Rondo is switched off.
void check_settings();

}  // namespace rondo::dropin
