// Test programs of relations.
#pragma once

#include <cstdint>
#include <vector>

#include "reference.hpp"

namespace rondo::test {

/// Programs written by hand. Each is for one possible error of an evaluation.
std::vector<Case> cases();

/// A program with random relations, placements, rules and facts, determined by the seed.
Case random_case(std::uint64_t seed);

}  // namespace rondo::test
