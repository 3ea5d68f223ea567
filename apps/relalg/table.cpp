#include "relalg/table.hpp"

#include <algorithm>

namespace rondo::relalg {

std::size_t Table::index_on(const std::vector<int>& columns) {
  const auto found = std::find_if(indices.begin(), indices.end(),
                                  [&](const Index& index) { return index.columns() == columns; });
  if (found == indices.end()) {
    indices.emplace_back(columns);
    return indices.size() - 1;
  }
  return static_cast<std::size_t>(found - indices.begin());
}

bool Table::counted_here(const Word* tuple, int rank, int ranks) const {
  if (placement == nullptr) {
    const Word hash = hash_words(HashFor::buckets, tuple, tuples.arity());
    return static_cast<int>(below(static_cast<std::size_t>(ranks), hash)) == rank;
  }
  if (spread || !placement->splits()) return true;
  const std::size_t bucket = placement->bucket(hash_columns(HashFor::buckets, tuple, placed_by));
  return placement->rank(bucket, 0) == rank;
}

std::size_t Table::count_here(std::size_t begin, int rank, int ranks) const {
  if (placement != nullptr && (spread || !placement->splits())) return tuples.size() - begin;
  std::size_t count = 0;
  for (std::size_t i = begin; i < tuples.size(); ++i)
    if (counted_here(tuples[i], rank, ranks)) ++count;
  return count;
}

}  // namespace rondo::relalg
