// Every return code of MPI is checked through here.
#pragma once

#include <mpi.h>

#include "base/error.hpp"

namespace rondo::exchange {

/// Throws Error(other) with MPI's text and class.
[[noreturn]] void throw_mpi_error(int code, const char* call);

/// The MPI error class that stands for `error`.
int mpi_class_of(const Error& error);

/// The error of a rank whose neighbour `rank` failed with a class of MPI's.
Error failure_elsewhere(int rank, int mpi_class);

inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw_mpi_error(code, call);
}

}  // namespace rondo::exchange
