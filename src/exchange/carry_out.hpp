// The exchanges of the C interface, for code that replaces MPI's own calls.
#pragma once

#include "buffers/neighbor.hpp"

namespace rondo::exchange {

/// Collective. Does what the functions of the C interface with these arguments do, and returns MPI's code.
template <class Arguments>
int carry_out(const Arguments& arguments);

}  // namespace rondo::exchange
