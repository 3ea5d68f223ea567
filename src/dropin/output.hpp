// The output of another program.
#pragma once

#include <string>
#include <vector>

namespace rondo::dropin {

struct Output {
  std::string text;     ///< on its standard output and standard error
  std::string failure;  ///< why it did not start or did not succeed; empty if it succeeded
};

/// Runs a program with its arguments, `command`, until it ends. `environment` ends with a null pointer, and
/// `input` becomes its standard input. This process is not copied and no fork handler runs, so an
/// MPI program may call this function.
Output output_of(const std::vector<std::string>& command, char* const* environment, int input);

}  // namespace rondo::dropin
