// What is transformed: numbers that depend on their place only, so that every rank can make its own.
#pragma once

#include <cstdint>

#include "base/mix.hpp"
#include "fft/fftw.hpp"
#include "fft/layout.hpp"

namespace rondo::fft {

/// From -1 to 1.
inline double sample_at(std::uint64_t place) {
  constexpr double kHalf = 0x1p-52;
  return static_cast<double>(mix(place * kGoldenGamma) >> 11U) * kHalf - 1;
}

template <class Real>
Complex<Real> signal_at(std::int64_t index) {
  const auto place = 2 * static_cast<std::uint64_t>(index);
  return {static_cast<Real>(sample_at(place)), static_cast<Real>(sample_at(place + 1))};
}

/// Write the part of the signal that `layout` says to `data`.
template <class Real>
void fill(const Layout& layout, Complex<Real>* data) {
  layout.for_each([&](std::int64_t index) { *data++ = signal_at<Real>(index); });
}

}  // namespace rondo::fft
