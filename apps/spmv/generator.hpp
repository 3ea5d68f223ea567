// Matrices that every rank can make its rows of.
#pragma once

#include <array>
#include <string>

#include "spmv/rows.hpp"

namespace rondo::spmv {

/// "5-point:AxB", "7-point:AxBxC", "27-point:AxBxC" or "random:N,K".
struct Generator {
  int points = 0;                             ///< of a stencil; 0 for a random matrix
  std::array<std::int64_t, 3> size{1, 1, 1};  ///< of the grid; the last dimension varies first
  std::int64_t order = 1;
  std::int64_t entries = 0;  ///< K, of each row of a random matrix besides its diagonal
};

/// Throws Error(argument), which names --generate, the text and what there is.
Generator parse_generator(const std::string& text);

/// A stencil has the number of its points less one on the diagonal, and -1 for each neighbour of a cell;
/// there is nothing beyond the grid. A random matrix has 1 on the diagonal, and in every row K numbers
/// between 0 and 1 in columns that are drawn; the same column may come twice.
Rows generate(const Generator& generator, std::uint64_t seed, std::int64_t first,
              std::int64_t count);

}  // namespace rondo::spmv
