// A transform as a sequence of local transforms and transpositions.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/exchange_timer.hpp"
#include "fft/transposition.hpp"

namespace rondo::fft {

/// Two buffers that a transform uses alternately, and how FFTW plans for them.
template <class Real>
struct Workshop {
  Complex<Real>* first;
  Complex<Real>* second;
  unsigned planning;  ///< FFTW_ESTIMATE or FFTW_MEASURE; measuring overwrites the buffers
};

/// The input is never written, unless it is a buffer of the workshop.
template <class Real>
class Pipeline {
 public:
  using Dimension = typename Fftw<Real>::Dimension;

  /// `input` is read first; it may be the output of another pipeline in the same workshop. `sign`
  /// is FFTW_FORWARD or FFTW_BACKWARD. As in FFTW, forward and then backward multiplies by the
  /// number of points.
  Pipeline(const Workshop<Real>& workshop, Complex<Real>* input, int sign)
      : workshop_(workshop), current_(input), sign_(sign) {}

  int sign() const { return sign_; }

  /// Local. Appends a transform of `lengths` (count and stride), repeated for each of `repeats`.
  void fft(std::span<const Dimension> lengths, std::span<const Dimension> repeats) {
    const bool in_workshop = current_ == workshop_.first || current_ == workshop_.second;
    Complex<Real>* from = current_;
    if (!in_workshop) current_ = other();
    const auto is_empty = [](const Dimension& extent) { return extent.n == 0; };
    if (std::any_of(repeats.begin(), repeats.end(), is_empty)) return;  // a rank without points
    // std::function copies its target, so the plan is shared.
    auto plan = std::make_shared<FftwPlan<Real>>(Fftw<Real>::kPlan(
        static_cast<int>(lengths.size()), lengths.data(), static_cast<int>(repeats.size()),
        repeats.data(), fftw_cast(from), fftw_cast(current_), sign_, workshop_.planning));
    stages_.push_back([plan](apps::ExchangeTimer&) { plan->execute(); });
  }

  /// Local. Appends a transposition; the arguments are those of Transposition.
  void transpose(const Arrangement& arrangement, const support::Communicator& comm,
                 Buffer<Real> factors = Buffer<Real>(0)) {
    const auto step = std::make_shared<Transposition<Real>>(arrangement, comm, std::move(factors));
    const Complex<Real>* from = current_;
    Complex<Real>* packed = other();
    Complex<Real>* received = packed == workshop_.first ? workshop_.second : workshop_.first;
    current_ = packed;
    stages_.push_back([=](apps::ExchangeTimer& timer) {
      step->pack(from, packed);
      timer.step([&] { step->exchange(packed, received); });
      step->unpack(received, packed);
    });
  }

  /// Collective. Each exchange is one step of `timer`.
  void execute(apps::ExchangeTimer& timer) const {
    for (const auto& stage : stages_) stage(timer);
  }

  /// The location of the result.
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

}  // namespace rondo::fft
