// The machine that the ranks of a communicator run on, measured.
#pragma once

#include "cluster.hpp"
#include "model/machine.hpp"

namespace rondo::bench {

/// Collective; takes a second or two. What these ranks cannot show (messages between nodes on a
/// single one, messages inside a node of one rank each) is as in `known`. The same on all ranks.
model::Machine measure_machine(const Communicator& comm, const Cluster& cluster,
                               const model::Machine& known);

}  // namespace rondo::bench
