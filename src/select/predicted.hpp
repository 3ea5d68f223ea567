// What the model makes of a communicator on which nothing was measured.
#pragma once

#include <cstddef>
#include <cstdint>

#include "choice/choice.hpp"
#include "model/crossover.hpp"
#include "model/machine.hpp"
#include "select/decisions.hpp"

namespace rondo::select {

/// Where the decisions of a communicator are made.
struct Place {
  choice::Layout layout;
  bool has_node = true;  ///< memory that the ranks of a node share

  bool operator==(const Place&) const = default;
};

/// The algorithms that `auto` chooses from, those first that win a tie. The rest of the registry is
/// what was published; these cost no more by any model.
std::vector<choice::Request> candidates(registry::Collective collective, const Place& place);

/// Where algorithms are compared: all blocks of alltoall have S bytes, those of alltoallv any length
/// up to S.
model::Contest contest_of(registry::Collective collective, const Place& place,
                          const model::Machine& machine);

/// The request with its best radices, all else as it was asked. Those of the nodes stay at their
/// defaults: they count among very many nodes only, where the search takes too long to wait for.
choice::Request with_best_radices(const choice::Request& asked, const model::Contest& contest,
                                  std::int64_t block_bytes);

/// The power of two at which predicted() compares for blocks of that length.
std::int64_t compared_at(std::size_t block_bytes);

/// The fastest candidate at every power of two, with its best radices, by LogGP.
Decisions predicted(const Place& place, const model::Machine& machine);

}  // namespace rondo::select
