// Which algorithm an application's exchanges run.
#pragma once

#include <mpi.h>

#include <string>

namespace rondo::apps {

/// Collective. From now on the exchanges on `comm` run `algorithm`: a name with parameters, as in
/// "two_layer_bruck:intra=4", or "auto". A name that only one of alltoall and alltoallv has is for that
/// one, and the other runs auto. Throws Error(argument) on all ranks where neither has it, and where
/// a parameter is wrong.
void choose_algorithm(MPI_Comm comm, const std::string& algorithm);

}  // namespace rondo::apps
