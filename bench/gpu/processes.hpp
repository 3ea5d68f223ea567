// The processes of a run of rondo-bench-gpu, and how they learn what one of them knows.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gpu/options.hpp"
#include "rondo/rondo_nccl.h"

namespace rondo::bench {

class Processes {
 public:
  Processes() = default;
  virtual ~Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  virtual int process() const = 0;
  virtual int processes() const = 0;

  /// The number of this process on its host, and of how many there.
  virtual int local_process() const { return process(); }
  virtual int local_processes() const { return processes(); }

  /// Gives all processes the bytes of process 0. May be called once.
  virtual void broadcast(std::span<std::byte> bytes) = 0;

  /// The exchange between hosts for mpi_staged, or null if there is none.
  virtual const Rondo_nccl_host* host() const { return nullptr; }
};

/// Throws Error(argument) if it cannot be done, as with MPI in a program that was built without MPI.
std::unique_ptr<Processes> make_processes(const Bootstrap& bootstrap);

}  // namespace rondo::bench
