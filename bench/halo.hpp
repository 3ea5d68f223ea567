// What ranks exchange along the faces of a grid, or before they multiply by a sparse matrix.
#pragma once

#include <span>

#include "matrix_file.hpp"
#include "support/matrix_market.hpp"

namespace rondo::bench {

/// With which cells of the grid a cell exchanges.
struct Stencil {
  int points = 27;  ///< 5, in two dimensions; 7 or 27, in three
  bool is_periodic = true;

  int dimensions() const { return points == 5 ? 2 : 3; }
};

/// The lengths for ranks on a grid of so many ranks in each dimension, the last of which varies first.
/// A rank sends `bytes` through each face. If that is n x n numbers of 8 bytes, it sends n of them to a
/// rank with which it shares an edge, and one for a corner. If a rank is a neighbour on several sides,
/// as in a periodic grid of two ranks, it gets the sum. A rank sends nothing to itself.
Matrix stencil_lengths(const Stencil& stencil, std::span<const int> grid, std::size_t bytes);

/// The lengths for a square matrix whose rows, and the vector with which it is multiplied, are dealt out
/// to the ranks in blocks. A rank receives 8 bytes for every column in which its rows have an entry and
/// which another rank has. Throws Error(argument), which names `file`, for a matrix that is not square.
std::vector<std::uint64_t> halo_lengths(const support::SparseMatrix& matrix,
                                        const std::string& file, int ranks);

}  // namespace rondo::bench
