#include "fft/slab.hpp"

#include <algorithm>

namespace rondo::fft {

template <class Real>
Slab<Real>::Slab(const bench::Communicator& comm, const Size& size)
    : comm_(comm),
      rank_(comm.rank()),
      size_(size),
      x_(size[0], comm.ranks()),
      y_(size[1], comm.ranks()) {}

template <class Real>
Layout Slab<Real>::natural() const {
  return {{Extent{x_.start(rank_), x_.count(rank_), size_[1] * size_[2]},
           Extent{0, size_[1], size_[2]}, Extent{0, size_[2], 1}}};
}

template <class Real>
Layout Slab<Real>::transformed() const {
  return {{Extent{y_.start(rank_), y_.count(rank_), size_[2]},
           Extent{0, size_[0], size_[1] * size_[2]}, Extent{0, size_[2], 1}}};
}

template <class Real>
std::int64_t Slab<Real>::most_points() const {
  return std::max(x_.largest() * size_[1], y_.largest() * size_[0]) * size_[2];
}

template <class Real>
void Slab<Real>::append_planes(Pipeline<Real>& pipeline) const {
  using Dimension = typename Pipeline<Real>::Dimension;
  const auto [nx, ny, nz] = size_;
  pipeline.fft(std::array{Dimension{ny, nz, nz}, Dimension{nz, 1, 1}},
               std::array{Dimension{x_.count(rank_), ny * nz, ny * nz}});
}

template <class Real>
void Slab<Real>::append_columns(Pipeline<Real>& pipeline) const {
  using Dimension = typename Pipeline<Real>::Dimension;
  const auto [nx, ny, nz] = size_;
  pipeline.fft(std::array{Dimension{nx, nz, nz}},
               std::array{Dimension{y_.count(rank_), nx * nz, nx * nz}, Dimension{nz, 1, 1}});
}

template <class Real>
void Slab<Real>::append_forward(Pipeline<Real>& pipeline) const {
  append_planes(pipeline);
  pipeline.transpose({.before = x_, .after = y_, .stride = size_[1] * size_[2], .vector = size_[2]},
                     comm_);
  append_columns(pipeline);
}

template <class Real>
void Slab<Real>::append_backward(Pipeline<Real>& pipeline) const {
  append_columns(pipeline);
  pipeline.transpose({.before = y_, .after = x_, .stride = size_[0] * size_[2], .vector = size_[2]},
                     comm_);
  append_planes(pipeline);
}

template class Slab<float>;
template class Slab<double>;

}  // namespace rondo::fft
