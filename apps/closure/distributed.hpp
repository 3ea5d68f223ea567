// Graphs over all ranks: read by them together, and sorted.
#pragma once

#include <string>
#include <vector>

#include "closure/generator.hpp"
#include "support/communicator.hpp"

namespace rondo::closure {

/// Collective. The edges of the file's part that this rank read; of any two ranks, the lower has the
/// lines before the other's. What the file is, its first line says (graph_format.hpp).
///
/// Throws Error(argument) on all ranks: "PATH: reason", or "PATH:LINE: reason" for the first line of
/// the file that is wrong.
std::vector<Edge> read_graph(const support::Communicator& comm, const std::string& path);

/// Collective. The ranks' edges, which are all different, sorted by `from` and then `to`: those of a
/// rank come before those of the next, and the ranks get about equally many.
std::vector<Edge> sort_over_ranks(const support::Communicator& comm, std::vector<Edge> edges);

}  // namespace rondo::closure
