// The algorithms that the tests run: every registry row, and parameters worth a row of their own.
#pragma once

#include <string>
#include <vector>

#include "support/layout.hpp"

namespace rondo::testing {

/// Every registry row of the collective at its default parameters, but those named `mpi`, which
/// move no byte themselves, if `moving_only`.
std::vector<std::string> registered(Collective collective, bool moving_only = false);

/// These, "auto", and the table of parameters, for `ranks` ranks.
std::vector<std::string> algorithm_rows(Collective collective, int ranks);

/// Whether the algorithm builds MPI datatypes at every call.
bool uses_datatypes(const std::string& algorithm);

}  // namespace rondo::testing
