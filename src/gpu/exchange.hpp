// One algorithm, made ready for one communicator.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <memory>

#include "base/bytes.hpp"
#include "choice/choice.hpp"
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
  /// The bytes of `blocks` blocks of the longest kind.
  std::size_t room(std::size_t blocks) const { return checked_multiply(blocks, block_bytes); }
};

/// Blocks of equal length, by rank.
struct Uniform {
  const std::byte* send;
  std::byte* receive;
  std::size_t block_bytes;

  const std::byte* to(int rank) const {
    return send + static_cast<std::size_t>(rank) * block_bytes;
  }
  std::byte* from(int rank) const { return receive + static_cast<std::size_t>(rank) * block_bytes; }

  bool operator==(const Uniform&) const = default;
};

/// Blocks as alltoallv has them; the arrays lie on the host or on the device.
struct Variable {
  const std::byte* send;
  const std::size_t* send_counts;
  const std::size_t* send_displacements;
  std::byte* receive;
  const std::size_t* receive_counts;
  const std::size_t* receive_displacements;
  std::size_t element_bytes;
  bool on_device;

  ConstBlock to(int rank) const {
    return {send + send_displacements[rank] * element_bytes, send_counts[rank] * element_bytes};
  }
  Block from(int rank) const {
    return {receive + receive_displacements[rank] * element_bytes,
            receive_counts[rank] * element_bytes};
  }
};

class Exchange {
 public:
  Exchange() = default;
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  virtual void alltoall(const Uniform& blocks, cudaStream_t stream) = 0;

  /// Throws Failure(ncclInvalidUsage) unless the algorithm does this.
  virtual void alltoallv(const Variable& blocks, cudaStream_t stream);

  virtual bool takes_device_counts() const { return false; }
  virtual bool is_capturable() const { return true; }

  /// Throws Failure if the device has noticed that something went wrong.
  virtual void check_device() const {}

  virtual void set_timeout(double /*seconds*/) {}
};

#define RONDO_GPU_ALGORITHM(name, shape, engine, ...) \
  std::unique_ptr<Exchange> make_##engine(const Setup& setup);
#include "registry/gpu_algorithms.def"
#undef RONDO_GPU_ALGORITHM

/// The algorithm of `setup.choice`.
std::unique_ptr<Exchange> make_exchange(const Setup& setup);

/// `inner`, captured into a graph when it is called first and replayed as long as it is called with
/// the same arguments. Throws Failure(ncclInvalidUsage) if it cannot be captured.
std::unique_ptr<Exchange> make_replayed(std::unique_ptr<Exchange> inner, int ranks);

}  // namespace rondo::gpu
