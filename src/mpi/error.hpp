// Checks every return code of MPI.
#pragma once

#include <mpi.h>

#include "base/error.hpp"

namespace rondo::mpi {

/// Throws Error(other) with MPI's text and class.
[[noreturn]] void throw_mpi_error(int code, const char* call);

/// Returns the MPI error class of `error`.
int mpi_class_of(const Error& error);

inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw_mpi_error(code, call);
}

}  // namespace rondo::mpi
