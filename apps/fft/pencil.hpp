// The 3-D transform with two dimensions dealt out.
#pragma once

#include "fft/shapes.hpp"
#include "fft/slab.hpp"

namespace rondo::fft {

/// Ranks form a grid; rank p stands in row p / columns and column p mod columns. x is dealt out to the
/// rows of the grid and y to its columns:
///
///   [its x][its y][z]   transform z, then exchange in the row of the grid: z is dealt out, y whole
///   [its x][its z][y]   transform y, then exchange in the column: y is dealt out, x whole
///   [its z][its y][x]   transform x
///
/// Backward goes the same way back. Ranks beyond the number of lines have nothing.
template <class Real>
class Pencil : public Decomposition<Real> {
 public:
  /// Collective. `grid` has as many places as there are ranks.
  Pencil(const bench::Communicator& comm, const Size& size, const Shape& grid);

  Layout natural() const override;
  Layout transformed() const override;
  std::int64_t most_points() const override;
  void append_forward(Pipeline<Real>& pipeline) const override;
  void append_backward(Pipeline<Real>& pipeline) const override;
  std::vector<MPI_Comm> communicators() const override { return {row_.get(), column_.get()}; }

 private:
  /// x dealt out to the rows of the grid, y to its rows or its columns, z to its columns.
  struct Part {
    Dealing dealing;
    std::int64_t start;
    std::int64_t count;
  };
  static Part part(std::int64_t total, const bench::Communicator& comm);
  void append_lines(Pipeline<Real>& pipeline, std::int64_t length, std::int64_t lines) const;

  Size size_;
  bench::Communicator row_;     ///< this rank's row of the grid
  bench::Communicator column_;  ///< its column
  Part x_;
  Part y_of_columns_;
  Part y_of_rows_;
  Part z_;
};

extern template class Pencil<float>;
extern template class Pencil<double>;

}  // namespace rondo::fft
