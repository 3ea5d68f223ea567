// Makes the private side of a communicator.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "exchange/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

struct PrivateSide {
  std::unique_ptr<exchange::Context> context;  ///< with a communicator that the caller frees
  bool packs_raw = true;                       ///< whether MPI packs raw bytes on all ranks
};

/// Collective. Exchanges are numbered from the highest `last_exchange` of all ranks on. Where it fails
/// on any rank there is no context on all ranks, and one of them says why, once in a process. It
/// fails where a rank has set up kMostSetUp others: MPICH has 2048 communicators in all, and most of
/// them should be the program's.
inline constexpr int kMostSetUp = 256;
PrivateSide set_up(MPI_Comm comm, const registry::Settings& settings, std::uint64_t last_exchange);

/// Local. What set_up() made is freed.
void count_freed();

}  // namespace rondo::communicator
