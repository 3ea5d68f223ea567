// The transform that the command line requests, for a number of ranks.
#pragma once

#include <memory>

#include "fft/decomposition.hpp"
#include "fft/options.hpp"

namespace rondo::fft {

/// The two factors of `number` (> 0) that are closest to each other.
Shape balanced_factors(std::int64_t number);

/// The matrix that a line of `points` is folded into for `ranks` ranks. If ranks^2 divides
/// `points`, both sides are multiples of `ranks`, and so all blocks of an exchange are equal.
/// Otherwise the matrix is as square as possible.
Shape matrix_of(std::int64_t points, int ranks);

/// A transform's lengths and how it is dealt out.
struct Problem {
  enum class Kind { line, slab, pencil };
  Kind kind;
  Size size;    ///< of a line: {1, 1, points}
  Shape shape;  ///< of a line: the matrix; of pencils: the grid of ranks

  std::int64_t points() const { return size[0] * size[1] * size[2]; }
};

/// Throws Error if the options do not fit the number of ranks, or if there are too many points: the
/// points of a rank must be numbered by an int, as in MPI_Alltoallv.
Problem make_problem(const Options& options, int ranks);

/// Collective. Throws Error on all ranks if a rank would have more points than an int can count.
/// `comm` must outlive the result.
template <class Real>
std::unique_ptr<Decomposition<Real>> decompose(const Problem& problem,
                                               const support::Communicator& comm);

}  // namespace rondo::fft
