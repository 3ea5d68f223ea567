// Who carries an exchange out: the MPI library, Rondo, or a library that --contender names.
#pragma once

#include <mpi.h>
#include <rondo/rondo.h>

#include <string>

#include "algorithms.hpp"

namespace rondo::bench {

/// Functions of the three forms.
template <class Alltoall, class Alltoallv, class Alltoallw>
struct Functions {
  Alltoall alltoall;
  Alltoallv alltoallv;
  Alltoallw alltoallw;
};

/// The exchanges of a library, with MPI's arguments. What it does not have is null.
struct Library {
  Functions<decltype(&MPI_Alltoall), decltype(&MPI_Alltoallv), decltype(&MPI_Alltoallw)> calls{};
  Functions<decltype(&MPI_Neighbor_alltoall), decltype(&MPI_Neighbor_alltoallv),
            decltype(&MPI_Neighbor_alltoallw)>
      on_edges{};
  /// With MPI's requests, so Rondo has none of them.
  Functions<decltype(&MPI_Ialltoall), decltype(&MPI_Ialltoallv), decltype(&MPI_Ialltoallw)>
      starts{};
  /// Without them, an exchange of counts goes before another exchange.
  decltype(&Rondo_Alltoallv_dynamic) dynamic{};
  decltype(&Rondo_Sparse_alltoallv) sparse{};
};

extern const Library kMpiLibrary;
extern const Library kRondo;

/// The functions contender_alltoall and so on of a shared library, which stays loaded. Throws
/// Error(argument) if it cannot be loaded, has been linked to another MPI library than this program, or
/// has no function for `call`.
Library load_library(const std::string& file, Call call);

}  // namespace rondo::bench
