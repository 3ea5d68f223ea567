// What rank 0 announces to the other ranks: its settings, and the hints of info objects.
#pragma once

#include <mpi.h>

#include <array>
#include <optional>
#include <string>

#include "buffers/form.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

/// The hints of an info object.
struct Hints {
  std::array<std::optional<std::string>, buffers::kFormNames.size()> algorithms;  ///< by form
  std::optional<std::string> measure;                                             ///< rondo_measure
};

/// Whether rondo_measure is 1 or true. Throws Error(argument) unless it is unset, 1, true, 0 or
/// false.
bool requests_measuring(const Hints& hints);

/// Collective. Returns the settings in rank 0's environment. Algorithms in rank 0's info hints of
/// `comm` replace those of the environment. If rank 0 cannot read a setting, all ranks throw
/// Error(argument).
registry::Settings settings_of_rank_0(MPI_Comm comm);

/// Collective. Returns the hints of rank 0's `info`, which may be MPI_INFO_NULL. If any rank has a `failure`, all
/// throw it, as in transport::fail_together().
Hints hints_of_rank_0(MPI_Comm comm, MPI_Info info,
                      const std::optional<Error>& failure = std::nullopt);

}  // namespace rondo::communicator
