// A sample of nodes and of draws that stands for all.
#pragma once

#include <vector>

namespace rondo::simulate {

/// What was played on `nodes` nodes, with lengths and waits of its own.
struct Draw {
  int nodes = 0;
  double seconds = 0;
};

struct Interval {
  double seconds = 0;
  double low_seconds = 0;
  double high_seconds = 0;
};

/// How many nodes are played in each draw, in ascending order, each a power of two. They are about `most` in all, or
/// more if that is too few to tell. There are at least four `nodes`.
std::vector<int> nodes_of_draws(int nodes, double most);

/// The time on `nodes` nodes, from draws on fewer.
Interval extrapolated(const std::vector<Draw>& draws, int nodes);

}  // namespace rondo::simulate
