// What is noted of the program's exchanges besides their times, where the user asked for it.
#pragma once

#include <cstdint>
#include <vector>

#include "communicator/state.hpp"
#include "dropin/contract.hpp"

namespace rondo::dropin {

/// Bytes by destination.
using ByteRow = std::vector<std::uint64_t>;

/// Whether this process's environment asks for statistics, by RONDO_STATS=1.
bool is_counting();

/// Count an exchange; `choice` is null where it was left to the MPI library.
void count(buffers::Form form, const ByteRow& row, const choice::Choice* choice, double seconds);

/// Count an exchange on an inter-communicator.
void count_inter(buffers::Form form);

/// Count a call that goes to the MPI library's own function.
void count_passed(MpiCall call);

struct World {
  int ranks;
  int counting;  ///< those whose environment asks for statistics
};

/// Collective over MPI_COMM_WORLD, whose rank 0 prints the statistics of all ranks on stderr.
void report_counts(int rank, World world);

/// Collective. RONDO_RECORD=FILE: note a call on `comm`, whose state and row of bytes these are, for
/// rondo-bench to replay. Calls 1, 2, 4, 8, ... of a communicator are written, by its rank 0, to
/// FILE.R.C.N: R is its rank in MPI_COMM_WORLD, C the number of the communicator among those that it
/// exchanges on, N the number of the call. A program that exchanges a million times is so seen early, late
/// and between, in twenty files.
void record_matrix(const communicator::State& state, MPI_Comm comm, buffers::Form form,
                   const ByteRow& row);

}  // namespace rondo::dropin
