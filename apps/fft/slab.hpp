// The 3-D transform with one dimension dealt out.
#pragma once

#include <algorithm>
#include <array>

#include "fft/decomposition.hpp"

namespace rondo::fft {

/// Before the transform a rank has planes of x, as [its x][y][z]; afterwards it has planes of y, as
/// [its y][x][z], like FFTW with FFTW_MPI_TRANSPOSED_OUT. There is one exchange. Ranks beyond the
/// number of planes have no points.
template <class Real>
class Slab : public Decomposition<Real> {
 public:
  Slab(const support::Communicator& comm, const Size& size)
      : comm_(comm),
        rank_(comm.rank()),
        size_(size),
        x_(size[0], comm.ranks()),
        y_(size[1], comm.ranks()) {}

  Layout natural() const override {
    return {{Extent{x_.start(rank_), x_.count(rank_), size_[1] * size_[2]},
             Extent{0, size_[1], size_[2]}, Extent{0, size_[2], 1}}};
  }

  Layout transformed() const override {
    return {{Extent{y_.start(rank_), y_.count(rank_), size_[2]},
             Extent{0, size_[0], size_[1] * size_[2]}, Extent{0, size_[2], 1}}};
  }

  std::int64_t most_points() const override {
    return std::max(x_.largest() * size_[1], y_.largest() * size_[0]) * size_[2];
  }

  void append_forward(Pipeline<Real>& pipeline) const override {
    pipeline.fft_and_transpose(
        plane(), planes(),
        {.before = x_, .after = y_, .stride = size_[1] * size_[2], .vector = size_[2]}, comm_);
    pipeline.fft(column(), columns());
  }

  void append_backward(Pipeline<Real>& pipeline) const override {
    pipeline.fft_and_transpose(
        column(), columns(),
        {.before = y_, .after = x_, .stride = size_[0] * size_[2], .vector = size_[2]}, comm_);
    pipeline.fft(plane(), planes());
  }

  std::vector<MPI_Comm> communicators() const override { return {comm_.get()}; }

 private:
  using Dimension = typename Pipeline<Real>::Dimension;

  /// A plane of x, and this rank's planes.
  std::array<Dimension, 2> plane() const {
    const auto [nx, ny, nz] = size_;
    return {Dimension{ny, nz, nz}, Dimension{nz, 1, 1}};
  }
  std::array<Dimension, 1> planes() const {
    const auto [nx, ny, nz] = size_;
    return {Dimension{x_.count(rank_), ny * nz, ny * nz}};
  }

  /// A column of x, and this rank's columns.
  std::array<Dimension, 1> column() const {
    const auto [nx, ny, nz] = size_;
    return {Dimension{nx, nz, nz}};
  }
  std::array<Dimension, 2> columns() const {
    const auto [nx, ny, nz] = size_;
    return {Dimension{y_.count(rank_), nx * nz, nx * nz}, Dimension{nz, 1, 1}};
  }

  const support::Communicator& comm_;
  std::int64_t rank_;
  Size size_;
  Dealing x_;
  Dealing y_;
};

}  // namespace rondo::fft
