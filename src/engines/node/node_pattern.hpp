// Makes a NodePattern.
#pragma once

#include <span>

#include "engines/pattern.hpp"

namespace rondo::engines {

/// Collective. `to` and `from` are the ranks with which this rank exchanges.
NodePattern make_node_pattern(Context& context, std::span<const Partner> to,
                              std::span<const Partner> from);

}  // namespace rondo::engines
