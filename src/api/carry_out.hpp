// The exchanges of the C interface, for code that replaces MPI's own calls.
#pragma once

#include "buffers/neighbor.hpp"

namespace rondo::api {

/// Collective. Does what Rondo_Alltoall, Rondo_Alltoallv, Rondo_Alltoallw and their large-count
/// forms do, and returns MPI's code. It is defined for the argument types of these functions.
template <class Arguments>
int carry_out(const Arguments& arguments);

/// Collective. The same for neighbourhood exchanges.
int carry_out(const buffers::NeighborAlltoall& arguments);
int carry_out(const buffers::NeighborAlltoallv& arguments);
int carry_out(const buffers::NeighborAlltoallw& arguments);
#if MPI_VERSION >= 4
int carry_out(const buffers::LargeNeighborAlltoall& arguments);
int carry_out(const buffers::LargeNeighborAlltoallv& arguments);
int carry_out(const buffers::LargeNeighborAlltoallw& arguments);
#endif

}  // namespace rondo::api
