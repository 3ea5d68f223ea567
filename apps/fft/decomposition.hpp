// How the points of a transform are distributed over the ranks, and in which direction they move.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/layout.hpp"
#include "fft/pipeline.hpp"

namespace rondo::fft {

/// The forward transform leaves the points in another layout than it found them in, and the
/// backward transform brings them back. Restoring the layout after each would only be undone by the
/// next.
template <class Real>
class Decomposition {
 public:
  Decomposition() = default;
  Decomposition(const Decomposition&) = delete;
  Decomposition& operator=(const Decomposition&) = delete;
  virtual ~Decomposition() = default;

  /// What this rank has before the forward transform, and after the backward one.
  virtual Layout natural() const = 0;

  /// What this rank has after the forward transform, and before the backward one.
  virtual Layout transformed() const = 0;

  /// The largest number of points that any rank has at any time, the same on all ranks.
  virtual std::int64_t most_points() const = 0;

  /// Local. Appends the transform to a pipeline that has the sign for it and all points in its
  /// input.
  virtual void append_forward(Pipeline<Real>& pipeline) const = 0;
  virtual void append_backward(Pipeline<Real>& pipeline) const = 0;

  /// The communicators that it exchanges on. This rank is in all of them, and they have the same
  /// order on all ranks.
  virtual std::vector<MPI_Comm> communicators() const = 0;
};

}  // namespace rondo::fft
