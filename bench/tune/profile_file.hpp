// The profile's file: what is kept of it, and how it is replaced.
#pragma once

#include <optional>
#include <string>

#include "select/profile.hpp"

namespace rondo::bench {

/// The profile in the file at `path`, if it holds on this machine; `refused` says why not. Throws
/// Error(argument) where there is a file that cannot be read.
std::optional<select::Profile> read_profile(const std::string& path,
                                            const select::Signature& signature,
                                            std::string& refused);

/// Throws Error(argument) where write_profile() would: a long run should not end so. Makes the folder.
void require_writable(const std::string& path);

/// As a whole or not at all; makes the folder if there is none. Throws Error(argument).
void write_profile(const select::Profile& profile, const std::string& path);

}  // namespace rondo::bench
