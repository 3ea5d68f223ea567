// Some of the iterations of a measurement.
#pragma once

namespace rondo::bench {

/// From the first one to the one after the last.
struct Stretch {
  int from = 0;
  int to = 0;
};

}  // namespace rondo::bench
