// The data to transform, and the check of the result against the same transform by FFTW on one
// rank.
#pragma once

#include <optional>

#include "base/mix.hpp"
#include "fft/transform.hpp"

namespace rondo::fft {

/// The data: numbers from -1 to 1 that depend on their index only, so that every rank can compute
/// its own.
inline double sample_at(std::uint64_t place) {
  return 2 * unit_interval(mix(place * kGoldenGamma)) - 1;
}

template <class Real>
Complex<Real> signal_at(std::int64_t index) {
  const auto place = 2 * static_cast<std::uint64_t>(index);
  return {static_cast<Real>(sample_at(place)), static_cast<Real>(sample_at(place + 1))};
}

/// Writes the part of the signal that `layout` describes to `data`.
template <class Real>
void fill(const Layout& layout, Complex<Real>* data) {
  layout.for_each([&](std::int64_t index) { *data++ = signal_at<Real>(index); });
}

/// The largest relative error in the Euclidean norm that is accepted.
template <class Real>
inline constexpr double kMostError = sizeof(Real) == sizeof(double) ? 1e-12 : 1e-5;

/// Rank 0 stores all points, in double whatever the precision of the transform.
class Verifier {
 public:
  /// Collective. Throws Error on all ranks if there is no memory.
  Verifier(const support::Communicator& comm, const Size& size);

  /// Collective. Fills the input of `transform`, executes it and compares the output of each leg.
  /// Returns the largest relative error in the Euclidean norm on all ranks. A point that no rank
  /// has counts as 0.
  template <class Real>
  double relative_error(const Transform<Real>& transform, apps::ExchangeTimer& timer);

 private:
  /// The relative error of one leg, on rank 0.
  template <class Real>
  double compare(const Leg<Real>& leg, int ranks);

  const support::Communicator& comm_;
  Size size_;
  std::optional<Buffer<double>> whole_;  ///< on rank 0
  std::optional<FftwPlan<double>> forward_;
  std::optional<FftwPlan<double>> backward_;
};

extern template double Verifier::relative_error(const Transform<float>&, apps::ExchangeTimer&);
extern template double Verifier::relative_error(const Transform<double>&, apps::ExchangeTimer&);

}  // namespace rondo::fft
