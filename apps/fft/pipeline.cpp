#include "fft/pipeline.hpp"

#include <algorithm>
#include <memory>

namespace rondo::fft {

template <class Real>
void Pipeline<Real>::fft(std::span<const Dimension> lengths, std::span<const Dimension> repeats) {
  const bool in_workshop = current_ == workshop_.first || current_ == workshop_.second;
  Complex<Real>* from = current_;
  if (!in_workshop) current_ = other();
  const auto is_empty = [](const Dimension& extent) { return extent.n == 0; };
  if (std::any_of(repeats.begin(), repeats.end(), is_empty)) return;  // a rank that has nothing
  // std::function copies what it holds.
  auto plan = std::make_shared<FftwPlan<Real>>(Fftw<Real>::kPlan(
      static_cast<int>(lengths.size()), lengths.data(), static_cast<int>(repeats.size()),
      repeats.data(), fftw_cast(from), fftw_cast(current_), sign_, workshop_.planning));
  stages_.push_back([plan](apps::ExchangeTimer&) { plan->execute(); });
}

template <class Real>
void Pipeline<Real>::transpose(const Arrangement& arrangement, const bench::Communicator& comm,
                               Buffer<Real> factors) {
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

template class Pipeline<float>;
template class Pipeline<double>;

}  // namespace rondo::fft
