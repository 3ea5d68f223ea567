// What the MPI libraries themselves get wrong: rows of the algorithm `mpi` that say nothing about
// Rondo.
#pragma once

#include "support/case.hpp"

namespace rondo::testing {

/// Why the library's own exchange fails this case, or nullptr.
const char* library_defect(const Case& which, int ranks);

}  // namespace rondo::testing
