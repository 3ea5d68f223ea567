#include "fft/pencil.hpp"

#include <algorithm>

namespace rondo::fft {

namespace {

/// Collective. The ranks of `comm` that say the same `color`, in their order.
bench::Communicator split(const bench::Communicator& comm, std::int64_t color) {
  MPI_Comm part = MPI_COMM_NULL;
  bench::check_mpi(MPI_Comm_split(comm.get(), static_cast<int>(color), 0, &part), "MPI_Comm_split");
  bench::Communicator own(part);
  bench::check_mpi(MPI_Comm_free(&part), "MPI_Comm_free");
  return own;
}

}  // namespace

template <class Real>
Pencil<Real>::Pencil(const bench::Communicator& comm, const Size& size, const Shape& grid)
    : size_(size),
      row_(split(comm, comm.rank() / grid.columns)),
      column_(split(comm, comm.rank() % grid.columns)),
      x_(part(size[0], column_)),
      y_of_columns_(part(size[1], row_)),
      y_of_rows_(part(size[1], column_)),
      z_(part(size[2], row_)) {}

template <class Real>
typename Pencil<Real>::Part Pencil<Real>::part(std::int64_t total,
                                               const bench::Communicator& comm) {
  const Dealing dealing(total, comm.ranks());
  return {dealing, dealing.start(comm.rank()), dealing.count(comm.rank())};
}

template <class Real>
Layout Pencil<Real>::natural() const {
  return {{Extent{x_.start, x_.count, size_[1] * size_[2]},
           Extent{y_of_columns_.start, y_of_columns_.count, size_[2]}, Extent{0, size_[2], 1}}};
}

template <class Real>
Layout Pencil<Real>::transformed() const {
  return {{Extent{z_.start, z_.count, 1}, Extent{y_of_rows_.start, y_of_rows_.count, size_[2]},
           Extent{0, size_[0], size_[1] * size_[2]}}};
}

template <class Real>
std::int64_t Pencil<Real>::most_points() const {
  const std::int64_t z_whole = x_.dealing.largest() * y_of_columns_.dealing.largest() * size_[2];
  const std::int64_t y_whole = x_.dealing.largest() * z_.dealing.largest() * size_[1];
  const std::int64_t x_whole = z_.dealing.largest() * y_of_rows_.dealing.largest() * size_[0];
  return std::max({z_whole, y_whole, x_whole});
}

template <class Real>
void Pencil<Real>::append_lines(Pipeline<Real>& pipeline, std::int64_t length,
                                std::int64_t lines) const {
  using Dimension = typename Pipeline<Real>::Dimension;
  pipeline.fft(std::array{Dimension{length, 1, 1}}, std::array{Dimension{lines, length, length}});
}

template <class Real>
void Pencil<Real>::append_forward(Pipeline<Real>& pipeline) const {
  const auto [nx, ny, nz] = size_;
  append_lines(pipeline, nz, x_.count * y_of_columns_.count);
  pipeline.transpose({.before = y_of_columns_.dealing,
                      .after = z_.dealing,
                      .groups = x_.count,
                      .group_stride = y_of_columns_.count * nz,
                      .stride = nz},
                     row_);
  append_lines(pipeline, ny, x_.count * z_.count);
  pipeline.transpose({.before = x_.dealing,
                      .after = y_of_rows_.dealing,
                      .groups = z_.count,
                      .group_stride = ny,
                      .stride = z_.count * ny},
                     column_);
  append_lines(pipeline, nx, z_.count * y_of_rows_.count);
}

template <class Real>
void Pencil<Real>::append_backward(Pipeline<Real>& pipeline) const {
  const auto [nx, ny, nz] = size_;
  append_lines(pipeline, nx, z_.count * y_of_rows_.count);
  pipeline.transpose({.before = y_of_rows_.dealing,
                      .after = x_.dealing,
                      .groups = z_.count,
                      .group_stride = y_of_rows_.count * nx,
                      .stride = nx},
                     column_);
  append_lines(pipeline, ny, z_.count * x_.count);
  pipeline.transpose({.before = z_.dealing,
                      .after = y_of_columns_.dealing,
                      .groups = x_.count,
                      .group_stride = ny,
                      .stride = x_.count * ny},
                     row_);
  append_lines(pipeline, nz, x_.count * y_of_columns_.count);
}

template class Pencil<float>;
template class Pencil<double>;

}  // namespace rondo::fft
