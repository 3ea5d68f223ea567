// Transforms by Rondo's exchanges and by FFTW's own MPI transform.
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

/// The legs of a Direction in their order. If there are two, the second reads the output of the
/// first. The input of the first leg is never overwritten, so that the transform can be repeated.
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

/// How a transform is planned.
struct Planning {
  Direction direction;
  unsigned effort;  ///< FFTW_ESTIMATE or FFTW_MEASURE
  int parts = 1;    ///< of a slab, by Rondo: while one is exchanged the next is transformed
};

/// Local. Returns a transform with Rondo's exchanges, whose algorithm may be chosen at any time.
/// `decomposition` must outlive it.
template <class Real>
std::unique_ptr<Transform<Real>> make_transform(const Decomposition<Real>& decomposition,
                                                const Planning& planning);

/// Whether this program was built with FFTW's own MPI transform.
bool has_library_transform();

/// Collective. Returns FFTW's own MPI transform: 1-D if the first two lengths are 1, and otherwise
/// 3-D with x and y left transposed, as in Slab. FFTW chooses the distribution over the ranks.
/// Throws Error on all ranks if there is no memory or no plan, for a single point, for a single
/// plane of x or y, and if the program was built without it.
template <class Real>
std::unique_ptr<Transform<Real>> make_library_transform(const support::Communicator& comm,
                                                        const Size& size, const Planning& planning);

}  // namespace rondo::fft
