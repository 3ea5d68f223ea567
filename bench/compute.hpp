// Computing that needs neither memory nor MPI, to hide exchanges behind.
#pragma once

#include <cstdint>

namespace rondo::bench {

/// Computes for a time that is proportional to `steps`, about a nanosecond each on a core of its own.
void compute(std::uint64_t steps);

}  // namespace rondo::bench
