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

/// Collective. Returns what is worth measuring for blocks of up to `longest` bytes, `own` first. `may_forward`, the
/// same on all ranks, is that of select::Place; besides, the library must know the devices whose memory ranks may
/// use. Rank 0 predicts, since profiles differ between nodes, and the last digits of predictions may.
std::vector<choice::Choice> worth_trying(engines::Context& context,
                                         const registry::Settings& settings,
                                         const choice::Choice& own, std::size_t longest,
                                         bool may_forward = true);

}  // namespace rondo::communicator
