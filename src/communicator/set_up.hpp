// Sets up a communicator: makes its private context.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "engines/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

/// What the MPI library can do on all ranks.
struct Abilities {
  bool packs_raw;          ///< MPI_Pack writes raw bytes
  bool has_progress_hook;  ///< see mpi/progress.hpp
};

/// Set-up fails if a rank has set up this many other communicators. MPICH has 2048 communicators in
/// all, and most of them should be left to the program.
inline constexpr int kMostSetUp = 256;

/// Collective. Exchanges are numbered from the highest that note_last_exchange() knows on any rank. `begin` gets the
/// context, whose communicator the caller frees, and makes what else the rank needs. If anything fails on any rank,
/// `begin` too, this returns nothing on all ranks, and one of them prints a warning, once in a process. Then, and
/// where it throws because MPI fails, the communicator is freed, and the caller must drop what `begin` has made.
std::optional<Abilities> set_up(
    MPI_Comm comm, const registry::Settings& settings,
    const std::function<void(std::unique_ptr<engines::Context>)>& begin);

/// Local. Returns a number that the ranks of a node have in common, since they have the same processor name and the same
/// kernel. MPI_Comm_split_type would take as long as all else in a set-up.
std::uint64_t node_number();

/// Local, and needs no MPI. Does in advance what the first set-up of a process takes longest for: it reads what there
/// is to know of the machine, and predicts what is fastest where all ranks are on one node.
void prepare_process();

/// Local. Notes the number of an exchange on a communicator that is freed. MPI may reuse its context id while messages
/// that nobody received are still there, so numbers continue from the highest.
void note_last_exchange(std::uint64_t number);

/// Local. Must be called when a context that set_up() made is freed.
void count_freed();

}  // namespace rondo::communicator
