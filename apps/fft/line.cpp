#include "fft/line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rondo::fft {

namespace {

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

}  // namespace

template <class Real>
Line<Real>::Line(const bench::Communicator& comm, const Shape& matrix)
    : comm_(comm), rank_(comm.rank()), ranks_(comm.ranks()), matrix_(matrix) {}

template <class Real>
Layout Line<Real>::rows_of(const Shape& matrix) const {
  const Dealing rows(matrix.rows, ranks_);
  return part_of_line(rows.start(rank_) * matrix.columns, rows.count(rank_) * matrix.columns);
}

template <class Real>
std::int64_t Line<Real>::most_points() const {
  return std::max(Dealing(matrix_.rows, ranks_).largest() * matrix_.columns,
                  Dealing(matrix_.columns, ranks_).largest() * matrix_.rows);
}

template <class Real>
void Line<Real>::append(Pipeline<Real>& pipeline, const Shape& matrix) const {
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

template class Line<float>;
template class Line<double>;

}  // namespace rondo::fft
