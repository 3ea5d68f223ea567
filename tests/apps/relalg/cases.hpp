// Programs of relations to be tested.
#pragma once

#include <cstdint>
#include <vector>

#include "reference.hpp"

namespace rondo::test {

/// Programs written by hand, each for something that an evaluation can get wrong.
std::vector<Case> cases();

/// A program with random relations, placements, rules and facts. The seed makes it again.
Case random_case(std::uint64_t seed);

}  // namespace rondo::test
