// Owners of MPI handles, which free a handle or restore an error handler when they go out of scope.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <utility>

#include "exchange/mpi_error.hpp"

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

/// A group, or MPI_GROUP_NULL.
class OwnedGroup {
 public:
  OwnedGroup() = default;
  ~OwnedGroup() {
    if (handle != MPI_GROUP_NULL) PMPI_Group_free(&handle);
  }
  OwnedGroup(const OwnedGroup&) = delete;
  OwnedGroup& operator=(const OwnedGroup&) = delete;

  MPI_Group handle = MPI_GROUP_NULL;
};

/// A datatype, or MPI_DATATYPE_NULL.
class OwnedType {
 public:
  OwnedType() = default;
  ~OwnedType() {
    if (handle != MPI_DATATYPE_NULL) PMPI_Type_free(&handle);
  }
  OwnedType(const OwnedType&) = delete;
  OwnedType& operator=(const OwnedType&) = delete;

  MPI_Datatype handle = MPI_DATATYPE_NULL;
};

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

}  // namespace rondo::exchange
