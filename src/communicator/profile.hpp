// The profile of this process: read once, refused with one warning where it does not hold.
#pragma once

#include <memory>
#include <string>

#include "select/profile.hpp"

namespace rondo::communicator {

/// The file `path`, or where none is named (empty) that of the user's configuration, which need not
/// exist. Null where there is no profile that holds on this machine.
std::shared_ptr<const select::Profile> find_profile(const std::string& path);

}  // namespace rondo::communicator
