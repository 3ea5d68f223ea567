#include "engines/discovery/sparse.hpp"

#include "engines/discovery/engines.hpp"

namespace rondo::engines {

namespace {

/// The engine of every row, in the table's order.
constexpr void (*kSparseEngines[])(SparseCall&) = {
#define RONDO_SPARSE_ALGORITHM(name, ...) &engines::discovery::name,
#include "registry/sparse_algorithms.def"
};

}  // namespace

void run_sparse(SparseCall& call) {
  const auto row = call.choice.algorithm - registry::sparse_algorithms().data();
  kSparseEngines[row](call);
}

}  // namespace rondo::engines
