// Sparse matrices in Matrix Market files.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace rondo::support {

/// A matrix as the list of its entries.
struct SparseMatrix {
  struct Entry {
    std::int64_t row;  ///< from 0, as is the column
    std::int64_t column;
    double value;
  };

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Entry> entries;
};

/// Reads a matrix in coordinate format, with real or integer values or a mere pattern, whose entries
/// become 1. A symmetric or skew-symmetric matrix gets the entries that the file leaves out. Throws
/// Error(argument) with `file`, line and reason. Source of the format: Boisvert, Pozo, Remington, The
/// Matrix Market Exchange Formats, NISTIR 5935, 1996.
SparseMatrix read_matrix_market(std::istream& in, const std::string& file);

/// The same from the file of that name.
SparseMatrix read_matrix_market_file(const std::string& file);

}  // namespace rondo::support
