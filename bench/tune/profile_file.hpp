// The profile's file: what is kept of it, and how it is replaced.
#pragma once

#include <optional>
#include <string>

#include "select/profile.hpp"

namespace rondo::bench {

/// Returns the profile in the file `path` if it holds on this machine; else `refused` tells why not.
/// Throws Error(argument) if there is a file that cannot be read.
std::optional<select::Profile> read_profile(const std::string& path,
                                            const select::Signature& signature,
                                            std::string& refused);

/// Throws Error(argument) if write_profile() would, so that a long run does not fail at its end. Makes
/// the folder.
void require_writable(const std::string& path);

/// Writes the whole file or nothing. Makes the folder if there is none. Throws Error(argument).
void write_profile(const select::Profile& profile, const std::string& path);

}  // namespace rondo::bench
