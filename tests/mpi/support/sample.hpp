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

/// The more ranks, the dearer a row: from twice `few` ranks on, the sample has one row in 2, 3 and so on.
inline std::uint64_t one_in(const Runner& runner, int few) {
  return runner.options().all || runner.ranks() < few
             ? 1
             : static_cast<std::uint64_t>(runner.ranks() / few);
}

/// Of these rows one in so many, which the seed and `salt` choose.
template <class Value>
std::vector<Value> thinned(const std::vector<Value>& rows, const Runner& runner, int few,
                           std::uint64_t salt) {
  std::vector<Value> left;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (hash(runner.options().seed, salt, row) % one_in(runner, few) == 0)
      left.push_back(rows[row]);
  return left;
}

}  // namespace rondo::testing
