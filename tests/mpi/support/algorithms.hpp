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

/// Those that move bytes, and parameters that change how an error spreads.
std::vector<std::string> moving_algorithms(Collective collective);

/// Whether all ranks learn that the arguments of one are wrong.
bool reports_everywhere(Collective collective, const std::string& algorithm);

/// Those of sparse exchanges, with their defaults and with other parameters, and "auto".
std::vector<std::string> sparse_algorithms();

/// Whether the algorithm builds MPI datatypes at every call.
bool uses_datatypes(const std::string& algorithm);

}  // namespace rondo::testing
