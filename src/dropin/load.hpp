// Loads the part for one MPI family. No MPI and no C++ run-time library, as in the libraries that need a
// part.
#pragma once

#include "dropin/contract.hpp"

namespace rondo::dropin {

/// Says on rank 0 why Rondo does not take part in this process.
void warn(const char* what, const char* detail);

/// Returns the part at `path`, relative to the folder of the library that contains this code, so that an
/// installed tree can be moved. Returns null, after one warning, if it cannot be loaded.
const Part* load_part(const char* path);

}  // namespace rondo::dropin
