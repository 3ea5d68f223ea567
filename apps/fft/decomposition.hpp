// How the points of a transform lie on the ranks, and which way they go.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/layout.hpp"
#include "fft/pipeline.hpp"

namespace rondo::fft {

/// Forward leaves the points in another layout than it found them in, and backward brings them back:
/// the way there and back would only repeat what the next transform undoes.
template <class Real>
class Decomposition {
 public:
  Decomposition() = default;
  Decomposition(const Decomposition&) = delete;
  Decomposition& operator=(const Decomposition&) = delete;
  virtual ~Decomposition() = default;

  /// What this rank holds before the forward transform, and after the backward one.
  virtual Layout natural() const = 0;

  /// What it holds after the forward transform, and before the backward one.
  virtual Layout transformed() const = 0;

  /// The points of the fullest rank at any time, alike on all ranks.
  virtual std::int64_t most_points() const = 0;

  /// Local. Append the transform to a pipeline that has the sign for it and all points in its input.
  virtual void append_forward(Pipeline<Real>& pipeline) const = 0;
  virtual void append_backward(Pipeline<Real>& pipeline) const = 0;

  /// Those that it exchanges on, all with this rank in them, in the same order on all ranks.
  virtual std::vector<MPI_Comm> communicators() const = 0;
};

}  // namespace rondo::fft
