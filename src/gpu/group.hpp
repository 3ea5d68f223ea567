// Sends and receives of NCCL in groups.
#pragma once

#include "base/bytes.hpp"
#include "gpu/failure.hpp"

namespace rondo::gpu {

/// Carry out the sends and receives that `body` calls for together. A group that was begun is
/// ended, whatever happens: the next call of this thread would stand in it.
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

/// Both ends know the length: of an empty block nothing is sent.
inline void send(const ConstBlock& block, int to, ncclComm_t comm, cudaStream_t stream) {
  if (block.bytes != 0)
    check(ncclSend(block.data, block.bytes, ncclUint8, to, comm, stream), "ncclSend");
}

inline void receive(const Block& block, int from, ncclComm_t comm, cudaStream_t stream) {
  if (block.bytes != 0)
    check(ncclRecv(block.data, block.bytes, ncclUint8, from, comm, stream), "ncclRecv");
}

}  // namespace rondo::gpu
