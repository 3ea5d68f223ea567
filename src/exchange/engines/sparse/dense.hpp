// A sparse exchange as an alltoallv in which most blocks are empty.
#pragma once

#include "exchange/sparse.hpp"

namespace rondo::exchange::engines::sparse {

/// Runs an engine of alltoallv that learns the lengths of dynamic exchanges.
void run_dense(SparseCall& call, void (*engine)(Call&, const Blocks&));

}  // namespace rondo::exchange::engines::sparse
