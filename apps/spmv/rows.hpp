// Some consecutive rows of a square sparse matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/matrix_market.hpp"

namespace rondo::spmv {

/// Compressed sparse rows. Entries of a row with the same column add up.
struct Rows {
  std::int64_t order = 0;               ///< of the whole matrix
  std::int64_t first = 0;               ///< the first of these rows
  std::vector<std::size_t> starts{0};   ///< of each row in the lists below, and the end
  std::vector<std::int64_t> columns{};  ///< of the matrix
  std::vector<double> values{};

  std::size_t count() const { return starts.size() - 1; }
};

/// The rows from `first` on. The entries may be in any order, and those of other rows are left out.
Rows rows_of(std::span<const support::SparseMatrix::Entry> entries, std::int64_t order,
             std::int64_t first, std::int64_t count);

/// product[i] = the sum of values x vector over row i; `places[j]` says where in the vector the number for
/// the j-th entry is.
template <class Place>
void multiply(const Rows& rows, std::span<const Place> places, std::span<const double> vector,
              std::span<double> product) {
  for (std::size_t row = 0; row < rows.count(); ++row) {
    double sum = 0;
    for (std::size_t i = rows.starts[row]; i < rows.starts[row + 1]; ++i)
      sum += rows.values[i] * vector[static_cast<std::size_t>(places[i])];
    product[row] = sum;
  }
}

}  // namespace rondo::spmv
