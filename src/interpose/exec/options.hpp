// The command line of rondo-exec.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rondo::interpose {

struct Options {
  std::vector<std::pair<const char*, std::string>> variables{};  ///< for the program's environment
  char** program = nullptr;      ///< with its arguments; null where there is an answer
  const char* answer = nullptr;  ///< what --help or --version prints instead of starting it
};

/// `words` end with a null pointer. Throws CannotStart where they make no sense; a profile that
/// cannot be read is told of and left out, as a file is not there on all nodes.
Options parse_options(char** words);

}  // namespace rondo::interpose
