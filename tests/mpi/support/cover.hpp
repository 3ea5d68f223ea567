// A sample of a product of factors in which every legal pair of values of two factors occurs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace rondo::testing {

/// One value, an index, for every factor.
using Combination = std::vector<std::size_t>;
using Legal = std::function<bool(const Combination&)>;

/// All legal combinations, the last factor running fastest.
std::vector<Combination> full_product(const std::vector<std::size_t>& sizes, const Legal& legal);

/// Greedy: the rows are built round pairs not yet seen, each the best of some random completions.
std::vector<Combination> pairwise_cover(const std::vector<std::size_t>& sizes, const Legal& legal,
                                        std::uint64_t seed);

}  // namespace rondo::testing
