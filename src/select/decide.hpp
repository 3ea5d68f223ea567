// Which algorithm `auto` chooses: from a profile if it has measurements, else from the model.
#pragma once

#include <cstddef>
#include <cstdint>

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

/// Returns the algorithm that reports the longest block of an alltoallv if the algorithm of no band
/// does. It is the fastest one for long blocks that needs no shared memory.
choice::OpenChoice reporting(const Place& place, const Profile* profile);

}  // namespace rondo::select
