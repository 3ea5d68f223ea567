// Which algorithm `auto` stands for: measured where a profile has it, else predicted.
#pragma once

#include "select/decisions.hpp"
#include "select/predicted.hpp"
#include "select/profile.hpp"

namespace rondo::select {

/// What a profile has of such a communicator; else predicted for the machine of the profile, or for
/// a typical one without a profile (null).
Decisions decide(const Place& place, const Profile* profile);

}  // namespace rondo::select
