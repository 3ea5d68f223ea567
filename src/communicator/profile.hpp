// The profiles of this process. Each is read once. A profile that does not hold on this machine is
// rejected with one warning.
#pragma once

#include <memory>
#include <string>

#include "select/profile.hpp"

namespace rondo::communicator {

/// Returns the profile in the file `path`. If `path` is empty, the file is the one in the user's
/// configuration, which need not exist. Returns null if no profile holds on this machine.
std::shared_ptr<const select::Profile> find_profile(const std::string& path);

}  // namespace rondo::communicator
