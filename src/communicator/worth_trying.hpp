// What is worth trying on a communicator, the same on all of its ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "choice/choice.hpp"
#include "engines/context.hpp"
#include "registry/settings.hpp"

namespace rondo::communicator {

/// Whether ranks of a node share memory. Collective the first time, if any could.
bool can_share_memory(engines::Context& context);

/// Collective. Whether the MPI library can carry out whatever Rondo can. It may not know the devices whose memory some
/// ranks may use.
bool library_takes_all_memory(const engines::Context& context);

/// Collective. Returns what rank 0 finds worth measuring for blocks of up to `longest` bytes, `own` first. Profiles
/// differ between nodes, and the last digits of predictions may.
std::vector<choice::Choice> worth_trying(engines::Context& context,
                                         const registry::Settings& settings,
                                         const choice::Choice& own, std::size_t longest);

}  // namespace rondo::communicator
