// Why one algorithm is predicted to be faster than another, in a few words.
#pragma once

#include <string>

#include "model/cost.hpp"

namespace rondo::model {

/// What the part of the cost says in which `better` saves most: "34 messages instead of 299". Of
/// predictions for the same exchange; "equally fast" where it saves in none.
std::string why_faster(const Prediction& better, const Prediction& other);

}  // namespace rondo::model
