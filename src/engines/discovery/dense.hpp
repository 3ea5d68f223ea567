// A sparse exchange as an alltoallv in which most blocks are empty.
#pragma once

#include "engines/discovery/sparse.hpp"

namespace rondo::engines::discovery {

/// Runs an engine of alltoallv that learns the lengths of dynamic exchanges.
void run_dense(SparseCall& call, void (*engine)(Call&, const Blocks&));

}  // namespace rondo::engines::discovery
