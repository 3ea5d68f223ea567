// Graphs from files, read by all ranks together.
#pragma once

#include <string>
#include <vector>

#include "closure/edge.hpp"
#include "communicator.hpp"

namespace rondo::closure {

/// Collective. The edges of the file's part that this rank read; of any two ranks, the lower has the
/// lines before the other's. What the file is, its first line says (graph_format.hpp).
///
/// Throws Error(argument) on all ranks: "PATH: reason", or "PATH:LINE: reason" for the first line of
/// the file that is wrong.
std::vector<Edge> read_graph(const bench::Communicator& comm, const std::string& path);

}  // namespace rondo::closure
