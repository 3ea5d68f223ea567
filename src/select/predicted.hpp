// What the model makes of a communicator on which nothing was measured.
#pragma once

#include "model/machine.hpp"
#include "registry/choice.hpp"
#include "select/decisions.hpp"

namespace rondo::select {

/// Where the decisions of a communicator are made.
struct Place {
  registry::Layout layout;
  bool has_node = true;  ///< memory that the ranks of a node share

  bool operator==(const Place&) const = default;
};

/// The algorithms that `auto` chooses from, those first that win a tie. The rest of the registry is
/// what was published; these cost no more by any model.
std::vector<registry::Request> candidates(registry::Collective collective, const Place& place);

/// The fastest candidate at every power of two, with its best radices, by LogGP.
Decisions predicted(const Place& place, const model::Machine& machine);

}  // namespace rondo::select
