// Is it right? The same transform by FFTW on one rank.
#pragma once

#include <optional>

#include "fft/transform.hpp"

namespace rondo::fft {

/// Rank 0 keeps all points, in double whatever the precision of what is verified.
class Verifier {
 public:
  /// Collective. Throws Error on all ranks if there is no memory.
  Verifier(const bench::Communicator& comm, const Size& size);

  /// Collective. Fill the input of `transform`, carry it out and compare what each leg makes. The
  /// largest of their relative errors in the Euclidean norm, on all ranks; a point that no rank has
  /// counts as 0.
  template <class Real>
  double relative_error(const Transform<Real>& transform, apps::ExchangeTimer& timer);

 private:
  /// On rank 0: of one leg.
  template <class Real>
  double compare(const Leg<Real>& leg, int ranks);

  const bench::Communicator& comm_;
  Size size_;
  std::optional<Buffer<double>> whole_;  ///< on rank 0
  std::optional<FftwPlan<double>> forward_;
  std::optional<FftwPlan<double>> backward_;
};

extern template double Verifier::relative_error(const Transform<float>&, apps::ExchangeTimer&);
extern template double Verifier::relative_error(const Transform<double>&, apps::ExchangeTimer&);

}  // namespace rondo::fft
