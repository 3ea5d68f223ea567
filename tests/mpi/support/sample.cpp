#include "support/sample.hpp"

#include <set>
#include <tuple>

#include "support/random.hpp"

namespace rondo::testing {

namespace {

/// Factors i < j and a value of each.
using ValuePair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

constexpr int kTries = 12;

template <class Visit>
void for_each_pair(const Combination& row, Visit&& visit) {
  for (std::size_t i = 0; i < row.size(); ++i)
    for (std::size_t j = i + 1; j < row.size(); ++j) visit(ValuePair{i, j, row[i], row[j]});
}

Combination complete(const ValuePair& pair, const std::vector<std::size_t>& sizes, Random& random) {
  Combination row;
  for (const std::size_t size : sizes) row.push_back(random.below(size));
  const auto [i, j, a, b] = pair;
  row[i] = a;
  row[j] = b;
  return row;
}

std::size_t count_new(const Combination& row, const std::set<ValuePair>& missing) {
  std::size_t count = 0;
  for_each_pair(row, [&](const ValuePair& pair) { count += missing.count(pair); });
  return count;
}

std::set<ValuePair> all_pairs(const std::vector<std::size_t>& sizes) {
  std::set<ValuePair> pairs;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t j = i + 1; j < sizes.size(); ++j)
      for (std::size_t a = 0; a < sizes[i]; ++a)
        for (std::size_t b = 0; b < sizes[j]; ++b) pairs.insert({i, j, a, b});
  return pairs;
}

/// All legal combinations, the last factor running fastest.
std::vector<Combination> full_product(const std::vector<std::size_t>& sizes, const Legal& legal) {
  std::vector<Combination> rows;
  Combination row(sizes.size(), 0);
  while (true) {
    if (legal(row)) rows.push_back(row);
    std::size_t factor = sizes.size();
    while (factor > 0 && ++row[factor - 1] == sizes[factor - 1]) row[--factor] = 0;
    if (factor == 0) return rows;
  }
}

/// Every legal pair of values of two factors occurs in a row. Greedy: the rows are built round pairs
/// not yet seen, each the best of some random completions.
std::vector<Combination> pairwise_cover(const std::vector<std::size_t>& sizes, const Legal& legal,
                                        std::uint64_t seed) {
  Random random(seed);
  std::vector<Combination> rows;
  std::set<ValuePair> missing = all_pairs(sizes);
  while (!missing.empty()) {
    const ValuePair pair = *missing.begin();
    Combination best;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const Combination row = complete(pair, sizes, random);
      if (legal(row) && (best.empty() || count_new(row, missing) > count_new(best, missing)))
        best = row;
    }
    missing.erase(pair);  // also where no completion is legal
    if (best.empty()) continue;
    for_each_pair(best, [&](const ValuePair& seen) { missing.erase(seen); });
    rows.push_back(best);
  }
  return rows;
}

}  // namespace

std::vector<Combination> combinations(const std::vector<std::size_t>& sizes, const Options& options,
                                      std::uint64_t salt, const Legal& legal) {
  return options.all ? full_product(sizes, legal)
                     : pairwise_cover(sizes, legal, hash(options.seed, salt));
}

}  // namespace rondo::testing
