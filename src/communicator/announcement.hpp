// What rank 0 tells the others: its settings, what info objects say, and what it has decided.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "registry/settings.hpp"

namespace rondo::communicator {

/// What an info object says.
struct Hints {
  std::array<std::optional<std::string>, 3>
      algorithms;                      ///< by form (alltoall, alltoallv, alltoallw)
  std::optional<std::string> measure;  ///< rondo_measure
};

/// Whether rondo_measure is set and not off. Throws Error(argument) for a value that is neither.
bool asks_to_measure(const Hints& hints);

/// Collective. The settings as rank 0's environment has them, with the algorithms that rank 0's
/// hints of `comm` name in place of the environment's. What rank 0 cannot read is an
/// Error(argument) on all.
registry::Settings agree_on_settings(MPI_Comm comm);

/// Collective. The hints of rank 0's `info`, which may be MPI_INFO_NULL.
Hints agree_on_hints(MPI_Comm comm, MPI_Info info);

/// Collective. The text that `write` makes on rank 0, on all ranks; never empty. Where it throws
/// there, all ranks do: "rank 0 of the communicator failed to" do `what`.
std::string announce(MPI_Comm comm, const char* what, const std::function<std::string()>& write);

}  // namespace rondo::communicator
