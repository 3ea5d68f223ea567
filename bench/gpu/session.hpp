// One rank of rondo-bench-gpu: it measures what all ranks measure, in the same order.
#pragma once

#include <nccl.h>

#include <functional>

#include "gpu/options.hpp"
#include "gpu/rows.hpp"
#include "rondo/rondo_nccl.h"

namespace rondo::bench {

/// Where a rank is.
struct GpuSeat {
  ncclComm_t comm;
  int rank;
  int ranks;
  const Rondo_nccl_host* host;  ///< null where mpi_staged cannot be had

  /// Ranks of this process on one GPU.
  int sharing;

  /// Waits, on the host, for the other ranks of this process: before and after any of them allocates
  /// or frees, since on a shared GPU that may wait for all kernels.
  std::function<void()> meet_in_process;
};

/// Collective. Calls report(row) on every rank with the same row, for every algorithm and size.
/// Throws Error.
void measure_all(const GpuSeat& seat, const GpuOptions& options,
                 const std::function<void(const GpuRow&)>& report);

}  // namespace rondo::bench
