// The barrier before each sample.
#pragma once

#include "communicator.hpp"

namespace rondo::bench {

/// Dissemination barrier (Hensgen, Finkel, Manber 1988) of empty messages: ceil(log2 P) rounds. Our
/// own, so that every MPI library and every algorithm starts from the same one.
void disseminate(const Communicator& comm);

}  // namespace rondo::bench
