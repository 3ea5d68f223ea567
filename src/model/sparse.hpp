// What sparse exchanges cost in which blocks go straight to their ranks.
#pragma once

#include "model/cost.hpp"
#include "model/rounds.hpp"

namespace rondo::model {

/// For a row that has a census: the census, and a message to every partner. Partners are drawn at random
/// from all other ranks.
Work work_of_sparse(const choice::Choice& choice, const Nodes& nodes, const Load& load);

}  // namespace rondo::model
