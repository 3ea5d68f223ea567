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

/// The buffers that a transform uses in turn, and how FFTW plans for them.
template <class Real>
struct Workshop {
  Complex<Real>* first;
  Complex<Real>* second;
  Complex<Real>* third;  ///< used if there are several parts
  int parts;             ///< of a slab: while one is exchanged the next is transformed
  unsigned planning;     ///< FFTW_ESTIMATE or FFTW_MEASURE; measuring overwrites the buffers
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
    Complex<Real>* from = enter();
    if (auto local = local_transform(lengths, repeats, {from, current_}))
      stages_.push_back([local](apps::ExchangeTimer&) { local->execute(); });
  }

  /// Local. Appends a transform, and a transposition of its result. The first of `repeats` is the
  /// index that the transposition has dealt out before. With several parts of a slab, the exchanges
  /// are no steps of a timer.
  void fft_and_transpose(std::span<const Dimension> lengths, std::span<const Dimension> repeats,
                         const Arrangement& arrangement, const support::Communicator& comm) {
    if (workshop_.parts > 1) return in_parts(lengths, repeats, arrangement, comm);
    fft(lengths, repeats);
    transpose(arrangement, comm);
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
  using Local = std::shared_ptr<FftwPlan<Real>>;  // std::function copies its target

  struct Places {
    Complex<Real>* from;
    Complex<Real>* to;
  };

  /// A part of a slab.
  struct Piece {
    Local transform;  ///< null on a rank without points
    Transposition<Real> transposition;
  };

  /// Where the next transform reads. It writes to current_, which is in the workshop from now on.
  Complex<Real>* enter() {
    Complex<Real>* from = current_;
    const bool in_workshop = current_ == workshop_.first || current_ == workshop_.second;
    if (!in_workshop) current_ = other();
    return from;
  }

  Local local_transform(std::span<const Dimension> lengths, std::span<const Dimension> repeats,
                        const Places& places) const {
    const auto is_empty = [](const Dimension& extent) { return extent.n == 0; };
    if (std::any_of(repeats.begin(), repeats.end(), is_empty)) return nullptr;
    return std::make_shared<FftwPlan<Real>>(Fftw<Real>::kPlan(
        static_cast<int>(lengths.size()), lengths.data(), static_cast<int>(repeats.size()),
        repeats.data(), fftw_cast(places.from), fftw_cast(places.to), sign_, workshop_.planning));
  }

  void in_parts(std::span<const Dimension> lengths, std::span<const Dimension> repeats,
                const Arrangement& arrangement, const support::Communicator& comm) {
    Complex<Real>* from = enter();
    const auto pieces = std::make_shared<std::vector<Piece>>();
    std::vector<Dimension> some(repeats.begin(), repeats.end());
    const Dimension& slab = repeats.front();
    for (std::int64_t number = 0; number < workshop_.parts; ++number) {
      const Part part{.number = number, .of = workshop_.parts};
      some.front().n = part.size(slab.n);
      const std::int64_t first = part.first(slab.n);
      pieces->push_back(
          {local_transform(lengths, some, {from + first * slab.is, current_ + first * slab.os}),
           Transposition<Real>(arrangement, comm, Buffer<Real>(0), part)});
    }
    stages_.push_back([pieces, data = current_, packed = other(),
                       received = workshop_.third](apps::ExchangeTimer&) {
      std::vector<rondo::Request> requests;
      for (const Piece& piece : *pieces) {
        if (piece.transform) piece.transform->execute();
        piece.transposition.pack(data, packed);
        requests.push_back(piece.transposition.start(packed, received));
      }
      for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].wait();
        (*pieces)[i].transposition.unpack(received, data);
      }
    });
  }

  Complex<Real>* other() const {
    return current_ == workshop_.first ? workshop_.second : workshop_.first;
  }

  Workshop<Real> workshop_;
  Complex<Real>* current_;
  int sign_;
  std::vector<std::function<void(apps::ExchangeTimer&)>> stages_;
};

}  // namespace rondo::fft
