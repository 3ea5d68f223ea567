// What another program prints.
#pragma once

#include <string>
#include <vector>

namespace rondo::dropin {

struct Output {
  std::string text;     ///< on its standard output and as errors
  std::string failure;  ///< why it did not start or did not succeed; empty if it did
};

/// Run a program without arguments until it ends. `environment` ends with a null pointer, `input`
/// becomes its standard input. Nothing of this process is copied and no fork handler runs, so an
/// MPI program may call this too.
Output output_of(const std::string& program, const std::vector<char*>& environment, int input);

}  // namespace rondo::dropin
