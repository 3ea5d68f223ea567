// The cases of a collective: algorithms x distributions x datatypes x in place x form of call x homes of
// the buffers, a sample in which every pair of values occurs, or with --all the product.
#pragma once

#include <string>
#include <vector>

#include "support/case.hpp"

namespace rondo::testing {

/// Of the send buffer and of the receive buffer.
struct Homes {
  Home send{};
  Home receive{};
};

std::vector<Case> cases_of(Collective collective, const std::vector<std::string>& algorithms,
                           const Options& options, const std::vector<Homes>& homes = {{}});

/// Runs the case unless the MPI library itself has a defect there.
void run_or_skip(const Case& which, MPI_Comm comm, Row& row);

}  // namespace rondo::testing
