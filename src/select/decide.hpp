// Which algorithm `auto` chooses: from a profile if it has measurements, else from the model. For a neighbourhood
// exchange no table has the choice, since the cost depends on the topology, not only on the layout. For a sparse
// exchange it depends on the layout alone, since no rank knows how many partners the others have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/cost.hpp"
#include "model/machine.hpp"
#include "select/decisions.hpp"
#include "select/profile.hpp"
#include "select/variants.hpp"

namespace rondo::select {

/// The decisions of the model: at every power of two the fastest algorithm that `auto` considers.
Decisions predicted(const Place& place, const model::Machine& machine);

/// The power of two at which predicted() compares algorithms for blocks of that length.
std::int64_t compared_at(std::size_t block_bytes);

/// The machine of the profile, or a typical one if the profile is null.
model::Machine machine_of(const Profile* profile);

/// The measurements of the profile, which may be null, for such a place. Null if it has none; then decisions
/// are predicted.
const Measured* measured_at(const Place& place, const Profile* profile);

/// The decisions of measured_at(place, profile), or else those predicted for machine_of(profile).
Decisions decide(const Place& place, const Profile* profile);

/// Returns the algorithm that reports the longest block of an alltoallv where that of its band does not. If no band's
/// does, it is the fastest one for long blocks that needs no shared memory.
choice::OpenChoice reporting(const Bands& bands, const Place& place, const Profile* profile);

using model::EdgeBlocks;
using model::EdgeLoad;

/// What an exchange without bands runs, and why.
struct Decision {
  choice::Choice choice;
  std::string reason;  ///< in a few words
};

/// Chooses between node_aware and a message along every edge, which the MPI library sends if it may.
Decision decide_on_edges(const Place& place, const EdgeLoad& load, const model::Machine& machine);

/// Chooses an algorithm of Collective::sparse_alltoallv with its defaults, the same on all ranks.
Decision decide_sparse(const Place& place);

}  // namespace rondo::select
