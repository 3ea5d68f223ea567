// What rank 0 tells the others: its settings, and the algorithms that info objects name.
#pragma once

#include <mpi.h>

#include <array>
#include <optional>
#include <string>

#include "registry/settings.hpp"

namespace rondo::api {

/// Texts by form (alltoall, alltoallv, alltoallw).
using Hints = std::array<std::optional<std::string>, 3>;

/// Collective. The settings as rank 0's environment has them, with the algorithms that rank 0's
/// hints of `comm` name in place of the environment's. What rank 0 cannot read is an
/// Error(argument) on all.
registry::Settings agree_on_settings(MPI_Comm comm);

/// Collective. The algorithms that rank 0's `info` names; it may be MPI_INFO_NULL.
Hints agree_on_hints(MPI_Comm comm, MPI_Info info);

}  // namespace rondo::api
