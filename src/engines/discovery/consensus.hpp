// A barrier that can be begun and tested. It tells every rank the status of all ranks.
//
// In round k every rank sends what it knows to the rank 2^k above, and receives from the rank 2^k below
// (dissemination barrier, Hensgen, Finkel, Manber 1988). After ceil(log2 P) rounds all ranks have
// begun and every rank knows all statuses, since merging them twice does no harm. MPI_Ibarrier has
// as many rounds, but carries nothing.
#pragma once

#include "base/status.hpp"
#include "engines/discovery/sparse_workspace.hpp"

namespace rondo::engines::discovery {

/// One at a time on a communicator. Its messages have one tag, which no others of the exchange have.
class Consensus {
 public:
  Consensus(Context& context, int tag);

  void begin(const Status& own);
  bool has_begun() const { return has_begun_; }

  /// Whether all ranks have begun. begin() must come first.
  bool test();

  /// Waits until all ranks have begun. Returns the status of all.
  const Status& wait();

 private:
  void send();
  void end_round();

  Context& context_;
  ConsensusWorkspace& workspace_;
  int tag_;
  bool has_begun_ = false;
  std::size_t rounds_;
  std::size_t round_ = 0;
  Status status_;
};

/// Collective. Returns the status of all ranks, when all have called it.
Status common_status(Context& context, int tag, const Status& own);

}  // namespace rondo::engines::discovery
