// Measures the first calls of `auto`, and lets it learn.
#pragma once

#include "exchange.hpp"
#include "first_calls.hpp"

namespace rondo::bench {

/// Collective. `automatic` has made no call yet. Its calls follow one another as in a program, without
/// barriers, until one algorithm has run nearly always, or for a second. Returns the same on all ranks.
FirstCalls make_first_calls(const Communicator& comm, const Contender& automatic,
                            const Contender& mpi, Exchange& exchange);

}  // namespace rondo::bench
