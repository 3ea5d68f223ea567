// MPI handles that are freed when they go out of scope.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <utility>

namespace rondo::exchange {

/// A communicator, or MPI_COMM_NULL.
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

/// A committed datatype of blocks of bytes.
class Datatype {
 public:
  /// `bytes` consecutive bytes at each of `displacements`; bytes may exceed 2^31.
  Datatype(std::size_t bytes, std::span<const MPI_Aint> displacements);
  ~Datatype();
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace rondo::exchange
