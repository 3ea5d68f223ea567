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
    append_planes(pipeline);
    pipeline.transpose(
        {.before = x_, .after = y_, .stride = size_[1] * size_[2], .vector = size_[2]}, comm_);
    append_columns(pipeline);
  }

  void append_backward(Pipeline<Real>& pipeline) const override {
    append_columns(pipeline);
    pipeline.transpose(
        {.before = y_, .after = x_, .stride = size_[0] * size_[2], .vector = size_[2]}, comm_);
    append_planes(pipeline);
  }

  std::vector<MPI_Comm> communicators() const override { return {comm_.get()}; }

 private:
  using Dimension = typename Pipeline<Real>::Dimension;

  void append_planes(Pipeline<Real>& pipeline) const {
    const auto [nx, ny, nz] = size_;
    pipeline.fft(std::array{Dimension{ny, nz, nz}, Dimension{nz, 1, 1}},
                 std::array{Dimension{x_.count(rank_), ny * nz, ny * nz}});
  }

  void append_columns(Pipeline<Real>& pipeline) const {
    const auto [nx, ny, nz] = size_;
    pipeline.fft(std::array{Dimension{nx, nz, nz}},
                 std::array{Dimension{y_.count(rank_), nx * nz, nx * nz}, Dimension{nz, 1, 1}});
  }

  const support::Communicator& comm_;
  std::int64_t rank_;
  Size size_;
  Dealing x_;
  Dealing y_;
};

}  // namespace rondo::fft
