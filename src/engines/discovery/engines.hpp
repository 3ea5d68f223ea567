// The engines of sparse exchanges, declared from the table itself.
#pragma once

#include "engines/discovery/sparse.hpp"

namespace rondo::engines::discovery {

#define RONDO_SPARSE_ALGORITHM(name, ...) void name(SparseCall& call);
#include "registry/sparse_algorithms.def"

/// A sparse exchange as an alltoallv in which most blocks are empty. Runs an engine of alltoallv that learns
/// the lengths of dynamic exchanges.
void run_dense(SparseCall& call, void (*engine)(Call&, const Blocks&));

}  // namespace rondo::engines::discovery
