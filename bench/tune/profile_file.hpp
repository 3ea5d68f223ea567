// What is kept of the profile's file.
#pragma once

#include <optional>
#include <string>

#include "select/profile.hpp"

namespace rondo::bench {

/// Returns the profile in the file `path` if it holds on this machine; else `refused` tells why not.
/// Throws Error(argument) if there is a file that
/// cannot be read.
std::optional<select::Profile> read_profile(const std::string& path,
                                            const select::Signature& signature,
                                            std::string& refused);

}  // namespace rondo::bench
