// Makes the context of a group. No MPI.
#pragma once

#include <memory>

#include "engines/context.hpp"
#include "group/table.hpp"

namespace rondo::group {

/// Collective. Gathers where the ranks are and what they can do. `node` is the name of this rank's node, or null. Throws
/// on all ranks if any rank is wrong, and where the transport fails.
std::unique_ptr<engines::Context> set_up(const std::shared_ptr<Table>& table, const char* node);

}  // namespace rondo::group
