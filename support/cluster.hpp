// Where the ranks are.
#pragma once

#include "choice/choice.hpp"
#include "support/communicator.hpp"

namespace rondo::support {

struct Cluster {
  int nodes = 1;  ///< groups of ranks that share memory
  int largest_node = 1;
  choice::Layout layout;  ///< as the registry counts: Q is the common divisor of the node sizes
};

/// Collective.
Cluster find_cluster(const Communicator& comm);

/// Of this node; below 1 where that is not known.
long cores();

/// What to say beside times taken on this cluster; empty where every rank has a core of its own.
std::string sharing_note(const Cluster& cluster);

}  // namespace rondo::support
