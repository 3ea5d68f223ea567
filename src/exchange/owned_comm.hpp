// A communicator that is freed when it goes out of scope.
#pragma once

#include <mpi.h>

#include <utility>

namespace rondo::exchange {

class OwnedComm {
 public:
  OwnedComm() = default;
  ~OwnedComm() {
    if (handle != MPI_COMM_NULL) PMPI_Comm_free(&handle);
  }
  OwnedComm(const OwnedComm&) = delete;
  OwnedComm& operator=(const OwnedComm&) = delete;

  MPI_Comm release() { return std::exchange(handle, MPI_COMM_NULL); }

  MPI_Comm handle = MPI_COMM_NULL;
};

}  // namespace rondo::exchange
