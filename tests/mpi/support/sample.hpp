// Samples of products of factors.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "support/random.hpp"
#include "support/runner.hpp"

namespace rondo::testing {

/// One value, an index, for every factor.
using Combination = std::vector<std::size_t>;
using Legal = std::function<bool(const Combination&)>;

/// The legal combinations of factors with so many values each: with --all the product, else a sample by
/// the seed and `salt` in which every legal pair of values of two factors occurs.
std::vector<Combination> combinations(
    const std::vector<std::size_t>& sizes, const Options& options, std::uint64_t salt,
    const Legal& legal = [](const Combination&) { return true; });

/// One of these, which the seed and `salt` choose, or with --all all of them.
template <class Value>
std::span<const Value> drawn(const std::vector<Value>& values, const Options& options,
                             std::uint64_t salt) {
  const std::span<const Value> all = values;
  return options.all ? all : all.subspan(hash(options.seed, salt) % all.size(), 1);
}

}  // namespace rondo::testing
