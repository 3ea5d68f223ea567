// Which algorithm `auto` stands for: measured where a profile has it, else predicted.
#pragma once

#include "select/decisions.hpp"
#include "select/predicted.hpp"
#include "select/profile.hpp"

namespace rondo::select {

/// The machine of the profile, or a typical one without a profile (null).
model::Machine machine_of(const Profile* profile);

/// What the profile (null: there is none) has of such a communicator; null where it has nothing, and
/// decisions are predicted.
const Measured* measured_at(const Place& place, const Profile* profile);

/// As measured_at(place, profile); else predicted for machine_of(profile).
Decisions decide(const Place& place, const Profile* profile);

}  // namespace rondo::select
