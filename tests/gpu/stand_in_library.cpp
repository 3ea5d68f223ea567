// What the tests in Python need of the stand-ins.
#include "rondo/rondo_nccl.h"
#include "stand_in.hpp"

extern "C" {

RONDO_API void stand_in_lend(const void* memory, std::size_t bytes) {
  rondo::testing::lend(memory, bytes);
}

RONDO_API void stand_in_take_back(const void* memory, std::size_t bytes) {
  rondo::testing::take_back(memory, bytes);
}

/// What this thread has launched since the last call: copies, kernels, groups, graphs.
RONDO_API void stand_in_launches(int* numbers) {
  const rondo::testing::Launches counted = rondo::testing::launches();
  numbers[0] = counted.copies;
  numbers[1] = counted.kernels;
  numbers[2] = counted.groups;
  numbers[3] = counted.graphs;
}

/// The pieces of memory, streams, events, graphs and communicators that exist.
RONDO_API long stand_in_things_held() {
  return rondo::testing::things_held();
}

}  // extern "C"
