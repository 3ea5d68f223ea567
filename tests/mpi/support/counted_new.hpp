// What the library takes from operator new, its only source of memory. MPI libraries are C and take
// theirs from malloc, so none of it is theirs. A program that links counted_new.cpp replaces
// operator new.
#pragma once

#include <cstddef>

namespace rondo::testing::counted_new {

/// Allocations so far, by the whole program.
std::size_t allocations();

/// Those during a call.
template <class Call>
std::size_t allocations_of(Call&& call) {
  const std::size_t before = allocations();
  call();
  return allocations() - before;
}

/// Allocations that have not been freed.
std::size_t live_allocations();

/// Bytes allocated and not freed.
std::size_t live_bytes();

/// The most that live_bytes has been since the last call of reset_peak.
std::size_t peak_bytes();
void reset_peak();

/// The `allocation`-th from now on (0 is the next), and it alone, finds no memory.
void fail_at(std::size_t allocation);

/// Returns whether that allocation came. From then on none fails.
bool end_failing();

}  // namespace rondo::testing::counted_new
