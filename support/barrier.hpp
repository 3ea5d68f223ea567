// The barrier before each sample.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "support/communicator.hpp"
#include "support/shared_object.hpp"

namespace rondo::support {

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
  /// Collective, as is wait().
  explicit Barrier(const Communicator& comm);

  void wait();

 private:
  using Clock = std::chrono::steady_clock;  // on Linux the same for all processes of a node

  /// The counts only grow, so nobody ever sets them back. They stand apart: who waits must not disturb
  /// who counts.
  struct Shared {
    alignas(64) std::atomic<std::uint64_t> arrived{0};   ///< ranks, over all barriers
    alignas(64) std::atomic<std::uint64_t> released{0};  ///< barriers
    Clock::time_point start;                             ///< nobody passes the last one before
  };

  void lead();
  template <class IsThere>
  void wait_until(IsThere&& is_there) const;

  Communicator node_;
  Communicator leaders_;  ///< the first rank of each node; null on all others
  SharedObject<Shared> shared_;
  std::uint64_t node_ranks_;
  bool shares_cores_;
  std::uint64_t passed_ = 0;  ///< barriers
};

}  // namespace rondo::support
