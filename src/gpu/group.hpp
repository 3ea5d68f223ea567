// Groups of NCCL's sends and receives.
#pragma once

#include "base/bytes.hpp"
#include "gpu/failure.hpp"

namespace rondo::gpu {

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
