// A run of rondo-fft: the algorithms by turns, and what is said about them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "fft/problem.hpp"
#include "fft/transform.hpp"
#include "progress.hpp"
#include "support/report.hpp"

namespace rondo::fft {

/// The largest relative error in the Euclidean norm that counts as right.
template <class Real>
inline constexpr double kMostError = sizeof(Real) == sizeof(double) ? 1e-12 : 1e-5;

template <class Real>
class Session {
 public:
  /// Collective. Throws Error on all ranks if something asked for cannot be.
  Session(const Options& options, const bench::Communicator& comm);

  /// Collective. Verify if asked to, measure, report on rank 0. False if a result is wrong; on rank 0
  /// `complaint` then says which.
  bool run(std::string& complaint);

 private:
  void make_transforms();
  const Transform<Real>& use(const std::string& algorithm);
  void verify();
  apps::Run measure(const std::string& algorithm);
  apps::Json about() const;
  bool is_right(std::string& complaint) const;

  const Options& options_;
  const bench::Communicator& comm_;
  bool is_first_;
  Problem problem_;
  apps::ExchangeTimer timer_;
  std::unique_ptr<Decomposition<Real>> decomposition_;
  std::unique_ptr<Transform<Real>> by_rondo_;    ///< if an algorithm needs it
  std::unique_ptr<Transform<Real>> by_library_;  ///< if it is asked for
  std::map<std::string, double> errors_;         ///< of the algorithms, if verified
};

extern template class Session<float>;
extern template class Session<double>;

}  // namespace rondo::fft
