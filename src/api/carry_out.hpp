// The exchanges of the C interface, for whoever stands in for MPI's own.
#pragma once

#include "buffers/arguments.hpp"

namespace rondo::api {

/// Collective. What Rondo_Alltoall, Rondo_Alltoallv and Rondo_Alltoallw and their large-count forms
/// do; returns MPI's code. Defined for the arguments of these.
template <class Arguments>
int carry_out(const Arguments& arguments);

}  // namespace rondo::api
