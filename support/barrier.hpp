// The barrier before each sample.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "support/communicator.hpp"
#include "support/shared_object.hpp"

namespace rondo::support {

/// Rondo's own barrier, so that every MPI library and every algorithm starts from the same one. The
/// ranks of a node count themselves in shared memory. When all have arrived, the first rank of each
/// node meets those of the other nodes in a dissemination barrier of empty messages (Hensgen,
/// Finkel, Manber 1988). Then it releases its node: if every rank has a core, at a common start
/// time.
///
/// The time that other ranks still need to leave the barrier falls into the first rank's sample. If
/// ranks share cores, that is one turn of each rank on its core. With a dissemination barrier over
/// all ranks it was several turns, in each of which the rank polled MPI: up to 900 microseconds at
/// 64 ranks on 2 cores, twice the time of the exchange itself.
class Barrier {
 public:
  /// Collective, like wait().
  explicit Barrier(const Communicator& comm);

  void wait();

 private:
  using Clock = std::chrono::steady_clock;  // the same for all processes of a node on Linux

  /// The counters only grow and are never reset. They are on separate cache lines, so that waiting
  /// ranks do not disturb those that count.
  struct Shared {
    alignas(64) std::atomic<std::uint64_t> arrived{0};   ///< ranks, summed over all barriers
    alignas(64) std::atomic<std::uint64_t> released{0};  ///< barriers
    Clock::time_point start;  ///< no rank leaves the last barrier earlier
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
