// Transforms that can be run and looked at, whoever carries them out.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "fft/decomposition.hpp"
#include "fft/options.hpp"

namespace rondo::fft {

/// A transform in one direction.
template <class Real>
struct Leg {
  int sign;
  Layout from;
  Layout to;
  Complex<Real>* input;
  const Complex<Real>* output;
  std::function<void(apps::ExchangeTimer&)> execute;  ///< collective
};

/// The legs of a Direction in their order; of both, the second reads what the first made. The first
/// leg's input is never overwritten, so that the same can be done again.
template <class Real>
class Transform {
 public:
  Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  virtual ~Transform() = default;

  const std::vector<Leg<Real>>& legs() const { return legs_; }

  /// Collective.
  void execute(apps::ExchangeTimer& timer) const {
    for (const Leg<Real>& leg : legs_) leg.execute(timer);
  }

 protected:
  std::vector<Leg<Real>> legs_;
};

/// How it is planned.
struct Planning {
  Direction direction;
  unsigned effort;  ///< FFTW_ESTIMATE or FFTW_MEASURE
};

/// Local. By Rondo's exchanges, whose algorithm may be chosen at any time. `decomposition` outlives it.
template <class Real>
std::unique_ptr<Transform<Real>> make_transform(const Decomposition<Real>& decomposition,
                                                const Planning& planning);

/// Whether this program was built with FFTW's own MPI transform.
bool has_library_transform();

/// Collective. That transform: a 1-D one if the first two lengths are 1, else a 3-D one that leaves x
/// and y transposed, as Slab does. Who holds what is FFTW's choice. Throws Error on all ranks if there is
/// no memory, no plan, a single point, a single plane of x or y, or if it was not built in.
template <class Real>
std::unique_ptr<Transform<Real>> make_library_transform(const support::Communicator& comm,
                                                        const Size& size, const Planning& planning);

}  // namespace rondo::fft
