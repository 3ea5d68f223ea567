// A transform: local transforms and transpositions, one after the other.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fft/transposition.hpp"
#include "support/exchange_timer.hpp"

namespace rondo::fft {

/// Two buffers that a transform uses by turns, and how FFTW plans for them.
template <class Real>
struct Workshop {
  Complex<Real>* first;
  Complex<Real>* second;
  unsigned planning;  ///< FFTW_ESTIMATE or FFTW_MEASURE; measuring overwrites the buffers
};

/// What it reads is never written, unless it lies in a buffer of the workshop.
template <class Real>
class Pipeline {
 public:
  using Dimension = typename Fftw<Real>::Dimension;

  /// `input` is read first, e.g. what another pipeline in the same workshop made. `sign` is
  /// FFTW_FORWARD or FFTW_BACKWARD; as in FFTW, one after the other multiplies by the number of points.
  Pipeline(const Workshop<Real>& workshop, Complex<Real>* input, int sign)
      : workshop_(workshop), current_(input), sign_(sign) {}

  int sign() const { return sign_; }

  /// Local. Append a transform of `lengths` (count and stride), done for each of `repeats`.
  void fft(std::span<const Dimension> lengths, std::span<const Dimension> repeats);

  /// Local. Append a transposition; the arguments are those of Transposition.
  void transpose(const Arrangement& arrangement, const bench::Communicator& comm,
                 Buffer<Real> factors = Buffer<Real>(0));

  /// Collective. Each exchange is one step of `timer`.
  void execute(apps::ExchangeTimer& timer) const {
    for (const auto& stage : stages_) stage(timer);
  }

  /// Where the result is.
  Complex<Real>* result() const { return current_; }

 private:
  Complex<Real>* other() const {
    return current_ == workshop_.first ? workshop_.second : workshop_.first;
  }

  Workshop<Real> workshop_;
  Complex<Real>* current_;
  int sign_;
  std::vector<std::function<void(apps::ExchangeTimer&)>> stages_;
};

extern template class Pipeline<float>;
extern template class Pipeline<double>;

}  // namespace rondo::fft
