// Owners of MPI handles, which free a handle or restore an error handler when they go out of scope.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <utility>

#include "mpi/error.hpp"

namespace rondo::mpi {

/// A handle, or the null handle of its kind, and the function that frees it.
template <class Handle, int (*give_back)(Handle*), Handle (*null)()>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (handle != null()) give_back(&handle);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Handle release() { return std::exchange(handle, null()); }

  Handle handle = null();
};

// The null handles need not be constants.
inline MPI_Comm null_comm() {
  return MPI_COMM_NULL;
}
inline MPI_Group null_group() {
  return MPI_GROUP_NULL;
}
inline MPI_Datatype null_type() {
  return MPI_DATATYPE_NULL;
}
using OwnedComm = Owned<MPI_Comm, PMPI_Comm_free, null_comm>;
using OwnedGroup = Owned<MPI_Group, PMPI_Group_free, null_group>;
using OwnedType = Owned<MPI_Datatype, PMPI_Type_free, null_type>;

/// A committed datatype of blocks of bytes.
class Datatype {
 public:
  /// `bytes` consecutive bytes at each of `displacements`; bytes may exceed 2^31.
  Datatype(std::size_t bytes, std::span<const MPI_Aint> displacements);

  MPI_Datatype get() const { return type_.handle; }

 private:
  OwnedType type_;
};

/// While an object of this class lives, errors on a communicator of the user are returned.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : ErrorsReturned(comm, MPI_ERRHANDLER_NULL) {
    check(PMPI_Comm_get_errhandler(comm_, &handler_), "MPI_Comm_get_errhandler");
    check(PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ~ErrorsReturned() {
    if (handler_ == MPI_ERRHANDLER_NULL) return;
    PMPI_Comm_set_errhandler(comm_, handler_);
    PMPI_Errhandler_free(&handler_);
  }

  /// Restores the user's own handler. Throws if that fails.
  void end() {
    check(PMPI_Comm_set_errhandler(comm_, handler_), "MPI_Comm_set_errhandler");
    check(PMPI_Errhandler_free(&handler_), "MPI_Errhandler_free");
  }

  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  /// When this one has returned, the destructor frees what the other one gets before it throws.
  ErrorsReturned(MPI_Comm comm, MPI_Errhandler handler) : comm_(comm), handler_(handler) {}

  MPI_Comm comm_;
  MPI_Errhandler handler_;
};

}  // namespace rondo::mpi
