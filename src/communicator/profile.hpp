// The profiles of this process.
#pragma once

#include <memory>
#include <string>

#include "select/profile.hpp"

namespace rondo::communicator {

/// Returns the profile in the file `path`. If `path` is empty, the file is the one in the user's
/// configuration, which need not exist. Returns null if no profile holds on this machine: one that
/// does not is rejected with one warning. Each is read once in a process.
std::shared_ptr<const select::Profile> find_profile(const std::string& path);

/// The signature of this machine with the MPI library of this process.
select::Signature signature_here();

}  // namespace rondo::communicator
