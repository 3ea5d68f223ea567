// The exchanges of the C interface, for code that replaces MPI's own calls.
#pragma once

#include "buffers/arguments.hpp"

namespace rondo::api {

/// Collective. Does what Rondo_Alltoall, Rondo_Alltoallv, Rondo_Alltoallw and their large-count
/// forms do, and returns MPI's code. It is defined for the argument types of these functions.
template <class Arguments>
int carry_out(const Arguments& arguments);

}  // namespace rondo::api
