// Reading and sorting graphs over all ranks.
#pragma once

#include <string>
#include <vector>

#include "closure/generator.hpp"
#include "support/communicator.hpp"

namespace rondo::closure {

/// Collective. Returns the edges of the part of the file that this rank read. A lower rank has
/// earlier lines. The first line says which format the file has (graph_format.hpp).
///
/// Throws Error(argument) on all ranks: "PATH: reason", or "PATH:LINE: reason" for the first wrong
/// line of the file.
std::vector<Edge> read_graph(const support::Communicator& comm, const std::string& path);

/// Collective. Sorts the ranks' edges, which are all different, by `from` and then `to`. A rank's
/// edges come before those of the next rank, and all ranks get about the same number.
std::vector<Edge> sort_over_ranks(const support::Communicator& comm, std::vector<Edge> edges);

}  // namespace rondo::closure
