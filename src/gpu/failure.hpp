// Turns failures of CUDA and NCCL into an Error with NCCL's code.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <new>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace rondo::gpu {

class Failure : public Error {
 public:
  Failure(ncclResult_t result, const std::string& text)
      : Error(ErrorClass::other, text), result_(result) {}

  ncclResult_t result() const { return result_; }

 private:
  ncclResult_t result_;
};

inline void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  const auto result = code == cudaErrorMemoryAllocation ? ncclSystemError : ncclUnhandledCudaError;
  throw Failure(result, text(what, ": ", cudaGetErrorString(code)));
}

inline void check(ncclResult_t result, const char* what) {
  if (result == ncclSuccess) return;
  throw Failure(result, text(what, ": ", ncclGetErrorString(result)));
}

/// Runs `body` and returns its failure, if any, for ranks that must not return alone.
template <class Body>
std::optional<Failure> failure_in(Body&& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::bad_alloc&) {
    return Failure(ncclSystemError, "out of memory");
  }
}

/// Runs the sends and receives of `body` as one group. Ends the group even if `body` throws, since
/// this thread's next call would otherwise be part of it.
template <class Body>
void in_group(Body&& body) {
  check(ncclGroupStart(), "ncclGroupStart");
  try {
    body();
  } catch (...) {
    ncclGroupEnd();
    throw;
  }
  check(ncclGroupEnd(), "ncclGroupEnd");
}

/// Both ranks of a pair know the length, so an empty block is not sent.
inline void send(const ConstBlock& block, int to, ncclComm_t comm, cudaStream_t stream) {
  if (block.bytes != 0)
    check(ncclSend(block.data, block.bytes, ncclUint8, to, comm, stream), "ncclSend");
}

inline void receive(const Block& block, int from, ncclComm_t comm, cudaStream_t stream) {
  if (block.bytes != 0)
    check(ncclRecv(block.data, block.bytes, ncclUint8, from, comm, stream), "ncclRecv");
}

}  // namespace rondo::gpu
