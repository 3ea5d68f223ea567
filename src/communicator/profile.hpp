// The profiles of this process: those that it reads, and those of what its communicators have learned.
//
// RONDO_LEARN=FILE writes what was learned as a profile, from which later programs begin. Of the communicators, the file
// has those whose rank 0 is that of MPI_COMM_WORLD, which writes it. The others would have to send theirs, and some may
// have been freed long before.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "select/learned.hpp"
#include "select/profile.hpp"

namespace rondo::communicator {

class State;

/// Returns the profile in the file `path`. If `path` is empty, the file is the one in the user's
/// configuration, which need not exist. Returns null if no profile holds on this machine: one that
/// does not is rejected with one warning. Each is read once in a process.
std::shared_ptr<const select::Profile> find_profile(const std::string& path);

/// Whether the user's configuration has a profile.
bool has_default_profile();

/// The signature of this machine with the MPI library of this process.
select::Signature signature_here();

/// Local, on rank 0 of the communicator. Keeps what was learned until the program ends. Failures are ignored.
void note_learned(State& state) noexcept;

/// Local. The moves of all communicators that this process has noted.
std::vector<select::Move> noted_moves();

/// Local, in MPI_Finalize, while MPI can still be used. Writes the profiles if this process is rank 0 of
/// MPI_COMM_WORLD. Prints a warning if one cannot be written.
void write_learned() noexcept;

}  // namespace rondo::communicator
