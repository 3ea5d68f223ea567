#include "compute.hpp"

namespace rondo::bench {

void compute(std::uint64_t steps) {
  static volatile double result = 0;
  // Every step needs the result of the one before, so compilers and processors cannot shorten it.
  double value = result;
  for (std::uint64_t step = 0; step < steps; ++step) value = value * 0.999 + 1.0;
  result = value;
}

}  // namespace rondo::bench
