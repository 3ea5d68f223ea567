// How the ranks are distributed over nodes.
#pragma once

#include "choice/choice.hpp"
#include "support/communicator.hpp"

namespace rondo::support {

struct Cluster {
  int nodes = 1;  ///< groups of ranks that share memory
  int largest_node = 1;
  choice::Layout
      layout;  ///< as in the registry: Q is the greatest common divisor of the node sizes
};

/// Collective.
Cluster find_cluster(const Communicator& comm);

/// The number of cores of this node; below 1 if it is unknown.
long cores();

/// A note to print beside times taken on this cluster; empty if every rank has a core of its own.
std::string sharing_note(const Cluster& cluster);

}  // namespace rondo::support
