// One exchange by the algorithm of a registry row.
#pragma once

#include "exchange/context.hpp"

namespace rondo::exchange {

/// Run the algorithm of `call.choice`, which must not be a forwarded one. Where errors
/// are local, a pair whose block is longer than the parameter `threshold` exchanges it straight, and
/// the engine sees it as empty. Both ends know the pair's length, so they decide
/// alike without talking, and a skewed load drags no long block through log P hops.
void run(Call& call, const Blocks& blocks);

}  // namespace rondo::exchange
