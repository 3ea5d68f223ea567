// The engines of sparse exchanges, declared from the table itself.
#pragma once

#include "engines/discovery/sparse.hpp"

namespace rondo::engines::discovery {

#define RONDO_SPARSE_ALGORITHM(name, ...) void name(SparseCall& call);
#include "registry/sparse_algorithms.def"

}  // namespace rondo::engines::discovery
