// An exchange through the memory of the nodes, and by messages between them.
#pragma once

#include "simulate/run.hpp"

namespace rondo::simulate {

/// The whole exchange of an algorithm of Shape::node, on equal nodes.
void run_nodes(Run& run, const Exchange& exchange);

}  // namespace rondo::simulate
