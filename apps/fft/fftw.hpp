// FFTW's interface, the same for both precisions, and owners of its memory and plans.
#pragma once

#include <fftw3.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "base/error.hpp"

namespace rondo::fft {

template <class Real>
using Complex = std::complex<Real>;

/// FFTW's names for double and float, made by FFTW's own macros.
template <class Real>
struct Fftw;

#define RONDO_FFTW(Real, NAME)                           \
  template <>                                            \
  struct Fftw<Real> {                                    \
    using Number = NAME(complex);                        \
    using Plan = NAME(plan);                             \
    using Dimension = NAME(iodim64);                     \
    static constexpr auto kMalloc = NAME(malloc);        \
    static constexpr auto kFree = NAME(free);            \
    static constexpr auto kPlan = NAME(plan_guru64_dft); \
    static constexpr auto kExecute = NAME(execute);      \
    static constexpr auto kDestroy = NAME(destroy_plan); \
  };
RONDO_FFTW(double, FFTW_MANGLE_DOUBLE)
RONDO_FFTW(float, FFTW_MANGLE_FLOAT)
#undef RONDO_FFTW

template <class Real>
typename Fftw<Real>::Number* fftw_cast(Complex<Real>* data) {
  return reinterpret_cast<typename Fftw<Real>::Number*>(data);
}

/// Complex numbers, initially zero, with the alignment that FFTW prefers.
template <class Real>
class Buffer {
 public:
  /// Throws Error(no_memory).
  explicit Buffer(std::size_t size) : size_(size) {
    const std::size_t bytes = (size == 0 ? 1 : size) * sizeof(Complex<Real>);
    data_ = static_cast<Complex<Real>*>(Fftw<Real>::kMalloc(bytes));
    if (data_ == nullptr)
      throw Error(ErrorClass::no_memory, text("no memory for a buffer of ", bytes,
                                              " bytes; use more ranks or fewer points"));
    std::uninitialized_value_construct_n(data_, size);
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (data_ != nullptr) Fftw<Real>::kFree(data_);
  }

  Complex<Real>* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<Complex<Real>> all() const { return {data_, size_}; }

 private:
  Complex<Real>* data_;
  std::size_t size_;
};

/// An FFTW plan, bound to the buffers that it was made for.
template <class Real>
class FftwPlan {
 public:
  /// Takes ownership of the plan. Throws Error if it is null, because FFTW could not make it.
  explicit FftwPlan(typename Fftw<Real>::Plan plan) : plan_(plan) {
    if (plan == nullptr) throw Error(ErrorClass::other, "FFTW made no plan for this size");
  }
  FftwPlan(FftwPlan&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
  FftwPlan& operator=(FftwPlan&&) = delete;
  ~FftwPlan() {
    if (plan_ != nullptr) Fftw<Real>::kDestroy(plan_);
  }

  void execute() const { Fftw<Real>::kExecute(plan_); }

 private:
  typename Fftw<Real>::Plan plan_;
};

}  // namespace rondo::fft
