// Which algorithm `auto` runs for a sparse exchange.
//
// No rank knows how many partners the others have, so the choice depends on the layout alone.
#pragma once

#include "select/variants.hpp"

namespace rondo::select {

/// An algorithm of Collective::sparse_alltoallv with its defaults, the same on all ranks.
choice::Choice decide_sparse(const Place& place);

}  // namespace rondo::select
