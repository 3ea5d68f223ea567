// Sets up a communicator: makes its private context.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "engines/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

struct SetUpResult {
  std::unique_ptr<engines::Context> context;  ///< the caller frees its communicator
  bool packs_raw = true;                      ///< whether MPI_Pack writes raw bytes on all ranks
  bool has_progress_hook =
      false;  ///< whether the MPI library has, on all ranks; see progress_hook.hpp
};

/// Set-up fails if a rank has set up this many other communicators. MPICH has 2048 communicators in
/// all, and most of them should be left to the program.
inline constexpr int kMostSetUp = 256;

/// Collective. Exchanges are numbered from the highest `last_exchange` of all ranks on. If set-up
/// fails on any rank, no rank gets a context, and one of them prints a warning, once in a process.
SetUpResult set_up(MPI_Comm comm, const registry::Settings& settings, std::uint64_t last_exchange);

/// Local. Must be called when a context that set_up() made is freed.
void count_freed();

}  // namespace rondo::communicator
