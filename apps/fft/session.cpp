#include "fft/session.hpp"

#include <fmt/format.h>

#include "fft/library_transform.hpp"
#include "fft/signal.hpp"
#include "fft/verifier.hpp"
#include "support/algorithm.hpp"

namespace rondo::fft {

namespace {

const char* name_of(Direction direction) {
  switch (direction) {
    case Direction::forward:
      return "forward";
    case Direction::backward:
      return "backward";
    case Direction::both:
      break;
  }
  return "both";
}

}  // namespace

template <class Real>
Session<Real>::Session(const Options& options, const bench::Communicator& comm)
    : options_(options),
      comm_(comm),
      is_first_(comm.rank() == 0),
      problem_(make_problem(options, comm.ranks())),
      timer_(comm, options.common.meet),
      decomposition_(decompose<Real>(problem_, comm)) {
  make_transforms();
  for (const std::string& algorithm : options_.common.algorithms) use(algorithm);
}

template <class Real>
void Session<Real>::make_transforms() {
  const Planning planning{options_.direction,
                          options_.measure ? unsigned{FFTW_MEASURE} : unsigned{FFTW_ESTIMATE}};
  bool rondo_is_asked = false;
  bool library_is_asked = false;
  for (const std::string& algorithm : options_.common.algorithms)
    (algorithm == kFftwMpi ? library_is_asked : rondo_is_asked) = true;
  if (rondo_is_asked)
    bench::collectively(comm_, [&] { by_rondo_ = make_transform(*decomposition_, planning); });
  if (library_is_asked) by_library_ = make_library_transform<Real>(comm_, problem_.size, planning);
  for (const auto* transform : {by_rondo_.get(), by_library_.get()})
    if (transform != nullptr) fill(transform->legs().front().from, transform->legs().front().input);
}

template <class Real>
const Transform<Real>& Session<Real>::use(const std::string& algorithm) {
  if (algorithm == kFftwMpi) return *by_library_;
  for (MPI_Comm comm : decomposition_->communicators()) apps::choose_algorithm(comm, algorithm);
  return *by_rondo_;
}

template <class Real>
void Session<Real>::verify() {
  Verifier verifier(comm_, problem_.size);
  for (const std::string& algorithm : options_.common.algorithms)
    errors_[algorithm] = verifier.relative_error(use(algorithm), timer_);
}

template <class Real>
apps::Run Session<Real>::measure(const std::string& algorithm) {
  const Transform<Real>& transform = use(algorithm);
  transform.execute(timer_);
  timer_.begin_run();
  for (int i = 0; i < options_.iterations; ++i) transform.execute(timer_);
  apps::Run run = timer_.end_run();
  run.is_split = algorithm != kFftwMpi;
  return run;
}

template <class Real>
apps::Json Session<Real>::about() const {
  apps::Json about{{"program", "rondo-fft"}, {"ranks", comm_.ranks()}};
  const auto [nx, ny, nz] = problem_.size;
  const auto [rows, columns] = problem_.shape;
  switch (problem_.kind) {
    case Problem::Kind::line:
      about["transform"] = "1-D";
      about["points"] = problem_.points();
      about["matrix"] = fmt::format("{}x{}", rows, columns);
      break;
    case Problem::Kind::slab:
      about["transform"] = "3-D, slabs";
      about["size"] = fmt::format("{}x{}x{}", nx, ny, nz);
      break;
    case Problem::Kind::pencil:
      about["transform"] = "3-D, pencils";
      about["size"] = fmt::format("{}x{}x{}", nx, ny, nz);
      about["grid"] = fmt::format("{}x{}", rows, columns);
      break;
  }
  about["precision"] = sizeof(Real) == sizeof(double) ? "double" : "single";
  about["direction"] = name_of(options_.direction);
  about["iterations"] = options_.iterations;
  about["planning"] = options_.measure ? "measure" : "estimate";
  for (const auto& [algorithm, error] : errors_) about["relative_error"][algorithm] = error;
  return about;
}

template <class Real>
bool Session<Real>::is_right(std::string& complaint) const {
  for (const auto& [algorithm, error] : errors_)
    if (!(error <= kMostError<Real>)) {
      complaint = fmt::format(
          "the result with {} is wrong: its relative error is {:.3g}, more than "
          "{:.0e}",
          algorithm, error, kMostError<Real>);
      return false;
    }
  return true;
}

template <class Real>
bool Session<Real>::run(std::string& complaint) {
  if (options_.verify) verify();
  const auto& common = options_.common;
  bench::Progress progress(is_first_ && !common.quiet,
                           common.algorithms.size() * static_cast<std::size_t>(common.repeat));
  const std::vector<apps::Arm> arms = apps::run_in_turn(common, [&](const std::string& algorithm) {
    progress.step(algorithm);
    return measure(algorithm);
  });
  progress.clear();
  bench::collectively(comm_, [&] {
    if (is_first_) apps::print_report(common, about(), arms);
  });
  return is_right(complaint);
}

template class Session<float>;
template class Session<double>;

}  // namespace rondo::fft
