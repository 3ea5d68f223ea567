// The 3-D transform with one dimension dealt out.
#pragma once

#include <array>

#include "fft/decomposition.hpp"

namespace rondo::fft {

/// Points (x, y, z) in three dimensions; the whole has z fastest.
using Size = std::array<std::int64_t, 3>;

/// Before, a rank has planes of x, as [its x][y][z]; afterwards planes of y, as [its y][x][z], like
/// FFTW with FFTW_MPI_TRANSPOSED_OUT. One exchange. Ranks beyond the number of planes have nothing.
template <class Real>
class Slab : public Decomposition<Real> {
 public:
  /// Collective.
  Slab(const bench::Communicator& comm, const Size& size);

  Layout natural() const override;
  Layout transformed() const override;
  std::int64_t most_points() const override;
  void append_forward(Pipeline<Real>& pipeline) const override;
  void append_backward(Pipeline<Real>& pipeline) const override;
  std::vector<MPI_Comm> communicators() const override { return {comm_.get()}; }

 private:
  void append_planes(Pipeline<Real>& pipeline) const;
  void append_columns(Pipeline<Real>& pipeline) const;

  const bench::Communicator& comm_;
  int rank_;
  Size size_;
  Dealing x_;
  Dealing y_;
};

extern template class Slab<float>;
extern template class Slab<double>;

}  // namespace rondo::fft
