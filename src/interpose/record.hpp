// RONDO_RECORD=FILE: count matrices of the program's own exchanges, for rondo-bench to replay.
#pragma once

#include <mpi.h>

#include "communicator/state.hpp"
#include "interpose/stats.hpp"

namespace rondo::interpose {

/// Collective. Note a call on `comm`, whose state and row of bytes these are. Calls 1, 2, 4, 8, ...
/// of a communicator are written, by its rank 0, to FILE.R.C.N: R its rank in MPI_COMM_WORLD, C the
/// number of the communicator among those that it exchanges on, N the number of the call. So a
/// program that exchanges a million times is seen early, late and between, in twenty files.
void record(const communicator::State& state, MPI_Comm comm, buffers::Form form,
            const ByteRow& row);

}  // namespace rondo::interpose
