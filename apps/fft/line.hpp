// The 1-D transform.
#pragma once

#include "fft/decomposition.hpp"
#include "fft/shapes.hpp"

namespace rondo::fft {

/// The line is folded into a matrix, its rows dealt out to the ranks. With N = R C points,
/// n = n1 C + n2 and k = k2 R + k1 the transform is
///
///   X[k] = sum over n2 of w_C^(n2 k2) w_N^(n2 k1) sum over n1 of w_R^(n1 k1) x[n],
///
/// so: transpose, transform the rows of R points, multiply by w_N^(n2 k1), transpose, transform the
/// rows of C points, transpose. Both ends are in natural order. (Bailey, "FFTs in external or
/// hierarchical memory", 1990: the six-step form. Its three transpositions are what section VI of the
/// TRA paper times.) Backward, R and C change places and w is conjugate.
///
/// Before, rank p has rows of C points, afterwards rows of R points; that is the same where the
/// square of the number of ranks divides N. If N is prime there is one row, or rows of one point: the
/// first rank transforms all of it.
template <class Real>
class Line : public Decomposition<Real> {
 public:
  /// Collective. `matrix` has as many elements as the line points.
  Line(const bench::Communicator& comm, const Shape& matrix);

  Layout natural() const override { return rows_of(matrix_); }
  Layout transformed() const override { return rows_of({matrix_.columns, matrix_.rows}); }
  std::int64_t most_points() const override;
  void append_forward(Pipeline<Real>& pipeline) const override { append(pipeline, matrix_); }
  void append_backward(Pipeline<Real>& pipeline) const override {
    append(pipeline, {matrix_.columns, matrix_.rows});
  }
  std::vector<MPI_Comm> communicators() const override { return {comm_.get()}; }

 private:
  Layout rows_of(const Shape& matrix) const;
  void append(Pipeline<Real>& pipeline, const Shape& matrix) const;

  const bench::Communicator& comm_;
  int rank_;
  int ranks_;
  Shape matrix_;
};

extern template class Line<float>;
extern template class Line<double>;

}  // namespace rondo::fft
