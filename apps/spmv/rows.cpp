#include "spmv/rows.hpp"

#include <numeric>

namespace rondo::spmv {

Rows rows_of(std::span<const support::SparseMatrix::Entry> entries, std::int64_t order,
             std::int64_t first, std::int64_t count) {
  Rows rows{.order = order, .first = first};
  rows.starts.assign(static_cast<std::size_t>(count) + 1, 0);
  const auto is_here = [&](const auto& entry) {
    return first <= entry.row && entry.row < first + count;
  };
  for (const auto& entry : entries)
    if (is_here(entry)) ++rows.starts[static_cast<std::size_t>(entry.row - first) + 1];
  std::partial_sum(rows.starts.begin(), rows.starts.end(), rows.starts.begin());
  rows.columns.resize(rows.starts.back());
  rows.values.resize(rows.starts.back());
  std::vector<std::size_t> next(rows.starts.begin(), rows.starts.end() - 1);
  for (const auto& entry : entries) {
    if (!is_here(entry)) continue;
    const std::size_t at = next[static_cast<std::size_t>(entry.row - first)]++;
    rows.columns[at] = entry.column;
    rows.values[at] = entry.value;
  }
  return rows;
}

}  // namespace rondo::spmv
