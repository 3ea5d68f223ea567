// Which algorithm `auto` stands for: measured where a profile has it, else predicted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/machine.hpp"
#include "select/decisions.hpp"
#include "select/profile.hpp"
#include "select/variants.hpp"

namespace rondo::select {

/// What the model makes of a place: at every power of two the fastest of what `auto` considers.
Decisions predicted(const Place& place, const model::Machine& machine);

/// The power of two at which predicted() compares for blocks of that length.
std::int64_t compared_at(std::size_t block_bytes);

/// The machine of the profile, or a typical one without a profile (null).
model::Machine machine_of(const Profile* profile);

/// What the profile (null: there is none) has of such a place. Null where it has nothing, and
/// decisions are predicted.
const Measured* measured_at(const Place& place, const Profile* profile);

/// As measured_at(place, profile) says; else as predicted for machine_of(profile).
Decisions decide(const Place& place, const Profile* profile);

/// Returns the algorithm that reports the longest block of an alltoallv if the algorithm of no band
/// does. It is the fastest one for long blocks that needs no shared memory.
choice::Request reporting(const Place& place, const Profile* profile);

}  // namespace rondo::select
