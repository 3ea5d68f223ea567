// The engines of sparse exchanges, declared from the table itself.
#pragma once

#include "exchange/sparse.hpp"

namespace rondo::exchange::engines::sparse {

#define RONDO_SPARSE_ALGORITHM(name, ...) void name(SparseCall& call);
#include "registry/sparse_algorithms.def"

}  // namespace rondo::exchange::engines::sparse
