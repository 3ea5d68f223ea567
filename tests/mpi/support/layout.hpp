// The places of a rank's blocks in its buffer: in permuted order, with gaps between them.
#pragma once

#include <mpi.h>

#include <vector>

#include "support/random.hpp"
#include "support/types.hpp"

namespace rondo::testing {

enum class Collective { alltoall, alltoallv, alltoallw };
inline constexpr Collective kCollectives[] = {Collective::alltoall, Collective::alltoallv,
                                              Collective::alltoallw};

const char* name_of(Collective collective);

/// The block to or from one peer.
struct Placed {
  const ElementType* type;
  int count;                  ///< elements
  std::ptrdiff_t origin = 0;  ///< bytes from the address passed to MPI to the first element
};

/// One side of an exchange: the arguments that MPI wants, and the memory they need.
struct Layout {
  std::vector<Placed> blocks;  ///< by peer
  std::ptrdiff_t low = 0;      ///< bytes touched, from the address passed
  std::ptrdiff_t high = 0;

  std::vector<int> counts() const;
  std::vector<int> displacements(Collective collective) const;
};

/// Sets the origins: fixed by MPI for alltoall; else free, by `random`, with gaps, in any order,
/// below and above the address passed. Blocks without elements get displacements that nobody may
/// use.
Layout lay_out(Collective collective, std::vector<Placed> blocks, Random random);

/// Calls visit(offset from the block's origin, bytes) for every run of every element, in type-map
/// order.
template <class Visit>
void for_each_run(const Placed& block, Visit&& visit) {
  for (int element = 0; element < block.count; ++element)
    for (const Run& run : block.type->runs)
      visit(element * block.type->extent + run.offset, run.bytes);
}

}  // namespace rondo::testing
