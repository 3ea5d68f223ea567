// Turns failures of CUDA and NCCL into an Error with NCCL's code.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <new>
#include <optional>
#include <string>

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

}  // namespace rondo::gpu
