// The 1-D transform.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "fft/decomposition.hpp"

namespace rondo::fft {

/// w_N^(row column) for the matrix's rows `first` to `first + count`, with w_N = exp(sign 2 pi i / N).
template <class Real>
Buffer<Real> twiddles(const Shape& matrix, std::int64_t first, std::int64_t count, int sign) {
  const long double unit = sign * 2 * std::numbers::pi_v<long double> /
                           static_cast<long double>(matrix.rows * matrix.columns);
  Buffer<Real> factors(static_cast<std::size_t>(count * matrix.columns));
  Complex<Real>* next = factors.data();
  for (std::int64_t row = first; row < first + count; ++row)
    for (std::int64_t column = 0; column < matrix.columns; ++column) {
      const long double angle = unit * static_cast<long double>(row * column);
      *next++ = {static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle))};
    }
  return factors;
}

/// The line is folded into a matrix, whose rows are dealt out to the ranks. With N = R C points,
/// n = n1 C + n2 and k = k2 R + k1 the transform is
///
///   X[k] = sum over n2 of w_C^(n2 k2) w_N^(n2 k1) sum over n1 of w_R^(n1 k1) x[n],
///
/// in these steps: transpose, transform the rows of R points, multiply by w_N^(n2 k1), transpose,
/// transform the rows of C points, transpose. Both ends are in natural order. This is the six-step
/// form of Bailey, "FFTs in external or hierarchical memory", 1990. Section VI of the TRA paper
/// times its three transpositions. Backward, R and C are exchanged and w is conjugated.
///
/// Before the transform rank p has rows of C points, and afterwards rows of R points. Both are the
/// same if the square of the number of ranks divides N. If N is prime there is one row, or there
/// are rows of one point, and the first rank does the whole transform.
template <class Real>
class Line : public Decomposition<Real> {
 public:
  /// `matrix` has as many elements as the line has points.
  Line(const support::Communicator& comm, const Shape& matrix)
      : comm_(comm), rank_(comm.rank()), ranks_(comm.ranks()), matrix_(matrix) {}

  Layout natural() const override { return rows_of(matrix_); }
  Layout transformed() const override { return rows_of({matrix_.columns, matrix_.rows}); }
  std::int64_t most_points() const override {
    return std::max(Dealing(matrix_.rows, ranks_).largest() * matrix_.columns,
                    Dealing(matrix_.columns, ranks_).largest() * matrix_.rows);
  }

  void append_forward(Pipeline<Real>& pipeline) const override { append(pipeline, matrix_); }
  void append_backward(Pipeline<Real>& pipeline) const override {
    append(pipeline, {matrix_.columns, matrix_.rows});
  }
  std::vector<MPI_Comm> communicators() const override { return {comm_.get()}; }

 private:
  Layout rows_of(const Shape& matrix) const {
    const Dealing rows(matrix.rows, ranks_);
    return part_of_line(rows.start(rank_) * matrix.columns, rows.count(rank_) * matrix.columns);
  }

  void append(Pipeline<Real>& pipeline, const Shape& matrix) const {
    using Dimensions = std::array<typename Pipeline<Real>::Dimension, 1>;
    const Dealing rows(matrix.rows, ranks_);
    const Dealing columns(matrix.columns, ranks_);
    const Arrangement rows_to_columns{.before = rows, .after = columns, .stride = matrix.columns};
    const Arrangement columns_to_rows{.before = columns, .after = rows, .stride = matrix.rows};

    pipeline.transpose(rows_to_columns, comm_);
    pipeline.fft(Dimensions{{{matrix.rows, 1, 1}}},
                 Dimensions{{{columns.count(rank_), matrix.rows, matrix.rows}}});
    pipeline.transpose(columns_to_rows, comm_,
                       twiddles<Real>({matrix.columns, matrix.rows}, columns.start(rank_),
                                      columns.count(rank_), pipeline.sign()));
    pipeline.fft(Dimensions{{{matrix.columns, 1, 1}}},
                 Dimensions{{{rows.count(rank_), matrix.columns, matrix.columns}}});
    pipeline.transpose(rows_to_columns, comm_);
  }

  const support::Communicator& comm_;
  std::int64_t rank_;
  std::int64_t ranks_;
  Shape matrix_;
};

}  // namespace rondo::fft
