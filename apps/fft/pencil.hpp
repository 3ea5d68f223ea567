// The 3-D transform with two dimensions dealt out.
#pragma once

#include <algorithm>
#include <array>

#include "fft/decomposition.hpp"

namespace rondo::fft {

/// The ranks form a grid: rank p is in row p / columns and column p mod columns. x is dealt out to
/// the rows of the grid and y to its columns:
///
///   [its x][its y][z]   transform z, then exchange in the row of the grid: z is dealt out, y is
/// whole
///   [its x][its z][y]   transform y, then exchange in the column: y is dealt out, x is whole
///   [its z][its y][x]   transform x
///
/// Backward takes the same steps in reverse. Ranks beyond the number of lines have no points.
template <class Real>
class Pencil : public Decomposition<Real> {
 public:
  /// Collective. `grid` has as many places as there are ranks.
  Pencil(const support::Communicator& comm, const Size& size, const Shape& grid)
      : size_(size),
        row_(comm.split(comm.rank() / static_cast<int>(grid.columns))),
        column_(comm.split(comm.rank() % static_cast<int>(grid.columns))),
        x_(size[0], column_),
        y_of_columns_(size[1], row_),
        y_of_rows_(size[1], column_),
        z_(size[2], row_) {}

  Layout natural() const override {
    return {{Extent{x_.start, x_.count, size_[1] * size_[2]},
             Extent{y_of_columns_.start, y_of_columns_.count, size_[2]}, Extent{0, size_[2], 1}}};
  }

  Layout transformed() const override {
    return {{Extent{z_.start, z_.count, 1}, Extent{y_of_rows_.start, y_of_rows_.count, size_[2]},
             Extent{0, size_[0], size_[1] * size_[2]}}};
  }

  std::int64_t most_points() const override {
    const std::int64_t z_whole = x_.dealing.largest() * y_of_columns_.dealing.largest() * size_[2];
    const std::int64_t y_whole = x_.dealing.largest() * z_.dealing.largest() * size_[1];
    const std::int64_t x_whole = z_.dealing.largest() * y_of_rows_.dealing.largest() * size_[0];
    return std::max({z_whole, y_whole, x_whole});
  }

  void append_forward(Pipeline<Real>& pipeline) const override {
    const auto [nx, ny, nz] = size_;
    append_lines(pipeline, nz, x_.count * y_of_columns_.count);
    pipeline.transpose(lines_outside(y_of_columns_, z_, x_.count, nz), row_);
    append_lines(pipeline, ny, x_.count * z_.count);
    pipeline.transpose(lines_inside(x_, y_of_rows_, z_.count, ny), column_);
    append_lines(pipeline, nx, z_.count * y_of_rows_.count);
  }

  void append_backward(Pipeline<Real>& pipeline) const override {
    const auto [nx, ny, nz] = size_;
    append_lines(pipeline, nx, z_.count * y_of_rows_.count);
    pipeline.transpose(lines_outside(y_of_rows_, x_, z_.count, nx), column_);
    append_lines(pipeline, ny, z_.count * x_.count);
    pipeline.transpose(lines_inside(z_, y_of_columns_, x_.count, ny), row_);
    append_lines(pipeline, nz, x_.count * y_of_columns_.count);
  }

  std::vector<MPI_Comm> communicators() const override { return {row_.get(), column_.get()}; }

 private:
  /// x dealt out to the rows of the grid, y to its rows or its columns, z to its columns.
  struct Part {
    Part(std::int64_t total, const support::Communicator& comm)
        : dealing(total, comm.ranks()),
          start(dealing.start(comm.rank())),
          count(dealing.count(comm.rank())) {}

    Dealing dealing;
    std::int64_t start;
    std::int64_t count;
  };

  /// [group][its before][after]: lines of `length` stand side by side in a group.
  static Arrangement lines_outside(const Part& before, const Part& after, std::int64_t groups,
                                   std::int64_t length) {
    return {.before = before.dealing,
            .after = after.dealing,
            .groups = groups,
            .group_stride = before.count * length,
            .stride = length};
  }

  /// [its before][group][after]: a group has a line of `length` for each of `before`.
  static Arrangement lines_inside(const Part& before, const Part& after, std::int64_t groups,
                                  std::int64_t length) {
    return {.before = before.dealing,
            .after = after.dealing,
            .groups = groups,
            .group_stride = length,
            .stride = groups * length};
  }

  void append_lines(Pipeline<Real>& pipeline, std::int64_t length, std::int64_t lines) const {
    using Dimension = typename Pipeline<Real>::Dimension;
    pipeline.fft(std::array{Dimension{length, 1, 1}}, std::array{Dimension{lines, length, length}});
  }

  Size size_;
  support::Communicator row_;     ///< this rank's row of the grid
  support::Communicator column_;  ///< its column
  Part x_;
  Part y_of_columns_;
  Part y_of_rows_;
  Part z_;
};

}  // namespace rondo::fft
