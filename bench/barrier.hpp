// The barrier before each sample.
#pragma once

#include <cstdint>

#include "communicator.hpp"

namespace rondo::bench {

/// Our own, so that every MPI library and every algorithm starts from the same one. The ranks of a
/// node count themselves in memory that they share; when all are there, the first rank of each node
/// meets those of the other nodes in a dissemination barrier of empty messages (Hensgen, Finkel,
/// Manber 1988) and lets its node go: where every rank has a core, at a time that it sets.
///
/// What is left of a barrier when the first rank has passed it falls into that rank's sample. Where
/// ranks share cores that is one turn of each on its core here. In a dissemination over all ranks
/// it was several, in which each looked after MPI's messages: at 64 ranks on 2 cores up to 900
/// microseconds, twice what the exchange itself took.
class Barrier {
 public:
  /// Collective.
  explicit Barrier(const Communicator& comm);
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
  ~Barrier();

  /// Collective.
  void wait();

 private:
  struct Shared;

  void lead();
  template <class IsThere>
  void wait_until(IsThere&& is_there) const;

  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Comm leaders_ = MPI_COMM_NULL;  ///< the first rank of each node; null on all others
  MPI_Win window_ = MPI_WIN_NULL;
  Shared* shared_ = nullptr;
  std::uint64_t node_ranks_ = 1;
  bool shares_cores_ = false;
  std::uint64_t passed_ = 0;  ///< barriers
};

}  // namespace rondo::bench
