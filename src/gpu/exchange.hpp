// One algorithm, prepared for one communicator.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <memory>

#include "base/bytes.hpp"
#include "choice/choice.hpp"
#include "gpu/blocks.hpp"
#include "rondo/rondo_nccl.h"

namespace rondo::gpu {

/// What an algorithm is made from.
struct Setup {
  ncclComm_t comm;
  int rank;
  int ranks;
  choice::Choice choice;
  std::size_t block_bytes;      ///< of the longest block
  const Rondo_nccl_host* host;  ///< may be null

  schedule::Schedule schedule() const { return choice::schedule_of(choice, {.ranks = ranks}); }
  /// Returns the bytes of `blocks` blocks of the greatest length.
  std::size_t bytes_of(std::size_t blocks) const { return checked_multiply(blocks, block_bytes); }
};

class Exchange {
 public:
  Exchange() = default;
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Starts the exchange on `stream`. Blocks must have one length if is_uniform_only().
  virtual void run(const Blocks& blocks, cudaStream_t stream) = 0;

  virtual bool is_uniform_only() const { return false; }
  /// Counts on the device, and lengths that only senders know.
  virtual bool takes_device_counts() const { return false; }
  virtual bool is_capturable() const { return true; }

  /// Throws Failure if the device has found an error.
  virtual void check_device() const {}

  virtual void set_timeout(double /*seconds*/) {}
};

#define RONDO_GPU_ALGORITHM(name, shape, engine, ...) \
  std::unique_ptr<Exchange> make_##engine(const Setup& setup);
#include "registry/gpu_algorithms.def"

/// Wraps `inner`: the first call captures it into a graph, and calls with the same arguments replay
/// the graph. Throws Failure(ncclInvalidUsage) if `inner` cannot be captured.
std::unique_ptr<Exchange> make_replayed(std::unique_ptr<Exchange> inner, int ranks);

}  // namespace rondo::gpu
