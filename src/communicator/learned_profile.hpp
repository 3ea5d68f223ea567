// What communicators have learned, kept until the program ends. Each is noted by its rank 0.
//
// RONDO_LEARN=FILE writes it as a profile, from which later programs begin. Of the communicators, the file has those
// whose rank 0 is that of MPI_COMM_WORLD, which writes it. The others would have to send theirs, and some may have been
// freed long before.
#pragma once

#include <vector>

#include "communicator/state.hpp"
#include "select/learned.hpp"

namespace rondo::communicator {

/// Local, on rank 0 of the communicator. Failures are ignored.
void note_learned(State& state) noexcept;

/// Local. The moves of all communicators that this process has noted.
std::vector<select::Move> noted_moves();

/// Local, in MPI_Finalize, while MPI can still be used. Writes the profiles if this process is rank 0 of MPI_COMM_WORLD.
/// Prints a warning if one cannot be written.
void write_learned() noexcept;

}  // namespace rondo::communicator
