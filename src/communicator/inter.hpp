// Questions about the user's communicator.
#pragma once

#include <mpi.h>

#include "exchange/mpi_error.hpp"

namespace rondo::communicator {

/// Whether `comm` is an inter-communicator. Throws Error(communicator) for MPI_COMM_NULL.
inline bool is_inter(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) throw Error(ErrorClass::communicator, "comm is MPI_COMM_NULL");
  int inter = 0;
  exchange::check(PMPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  return inter != 0;
}

inline void require_intra(MPI_Comm comm) {
  if (is_inter(comm))
    throw Error(ErrorClass::communicator,
                "comm is an inter-communicator: its exchanges are the MPI library's own");
}

}  // namespace rondo::communicator
