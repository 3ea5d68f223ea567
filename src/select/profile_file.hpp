// The files of profiles.
#pragma once

#include <string>

#include "select/profile.hpp"

namespace rondo::select {

/// Throws Error(argument) if write_profile() would, so that a long run does not fail at its end. Makes
/// the folder.
void require_profile_writable(const std::string& path);

/// Writes the whole file or nothing. Makes the folder if there is none. Throws Error(argument).
void write_profile(const Profile& profile, const std::string& path);

}  // namespace rondo::select
