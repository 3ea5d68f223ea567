// Collectives of the MPI library on a communicator of the program, on which Rondo has no tags. What has been started
// goes on meanwhile.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/error.hpp"

namespace rondo::mpi {

void broadcast_on(MPI_Comm comm, void* data, std::size_t bytes);
void reduce_on(MPI_Comm comm, void* values, int count, MPI_Datatype type, MPI_Op operation);
void gather_on(MPI_Comm comm, const void* own, void* all, std::size_t bytes);

/// As transport::fail_together(), and replaces the numbers by the greatest that any rank has in their places. The first
/// one is for the failure.
void fail_together_on(MPI_Comm comm, const std::optional<Error>& failure,
                      std::span<std::int64_t> numbers);
void fail_together_on(MPI_Comm comm, const std::optional<Error>& failure);

}  // namespace rondo::mpi
