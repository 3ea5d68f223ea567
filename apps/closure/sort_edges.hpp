// Sorting edges over all ranks.
#pragma once

#include <vector>

#include "closure/edge.hpp"
#include "communicator.hpp"

namespace rondo::closure {

/// Collective. The ranks' edges, which are all different, sorted by `from` and then `to`: those of a
/// rank come before those of the next, and the ranks get about equally many.
std::vector<Edge> sort_over_ranks(const bench::Communicator& comm, std::vector<Edge> edges);

}  // namespace rondo::closure
