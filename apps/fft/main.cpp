// rondo-fft: Fourier transforms over MPI ranks, and the cost of their exchanges.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>

#include "common/report.hpp"
#include "fft/problem.hpp"
#include "fft/verifier.hpp"
#include "support/program.hpp"

namespace rondo::fft {

namespace {

constexpr const char* kProgram = "rondo-fft";

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

/// Runs the algorithms in turn and reports on them.
template <class Real>
class Session {
 public:
  /// Collective. Throws Error on all ranks if an option cannot be satisfied.
  Session(const Options& options, const support::Communicator& comm)
      : options_(options),
        comm_(comm),
        is_first_(comm.rank() == 0),
        problem_(make_problem(options, comm.ranks())),
        timer_(comm, options.common.meet),
        decomposition_(decompose<Real>(problem_, comm)) {
    make_transforms();
    for (const std::string& algorithm : options_.common.algorithms) use(algorithm);
  }

  /// Collective. Verifies the results if requested, measures, and reports on rank 0. Throws
  /// WrongResult on all ranks if a result is wrong.
  void run() {
    if (options_.verify) verify();
    const auto& common = options_.common;
    const std::vector<apps::Arm> arms = apps::run_in_turn(
        comm_, common, [this](const std::string& algorithm) { return measure(algorithm); });
    support::collectively(comm_, [&] {
      if (is_first_) apps::print_report(common, about(), arms);
    });
    require_right();
  }

 private:
  void make_transforms() {
    Planning planning{options_.direction,
                      options_.measure ? unsigned{FFTW_MEASURE} : unsigned{FFTW_ESTIMATE}};
    bool rondo_is_asked = false;
    bool library_is_asked = false;
    for (const std::string& algorithm : options_.common.algorithms)
      (algorithm == kFftwMpi ? library_is_asked : rondo_is_asked) = true;
    if (rondo_is_asked)
      support::collectively(comm_, [&] { by_rondo_ = make_transform(*decomposition_, planning); });
    if (library_is_asked)
      by_library_ = make_library_transform<Real>(comm_, problem_.size, planning);
    planning.parts = options_.pipeline;
    if (rondo_is_asked && options_.pipeline != 0)
      support::collectively(comm_, [&] { pipelined_ = make_transform(*decomposition_, planning); });
    for (const auto* transform : {by_rondo_.get(), by_library_.get(), pipelined_.get()})
      if (transform != nullptr)
        fill(transform->legs().front().from, transform->legs().front().input);
  }

  const Transform<Real>& use(const std::string& algorithm) {
    if (algorithm == kFftwMpi) return *by_library_;
    const std::string name = algorithm.substr(0, algorithm.find(kPipelined));
    for (MPI_Comm comm : decomposition_->communicators()) apps::choose_algorithm(comm, name);
    return is_pipelined(algorithm) ? *pipelined_ : *by_rondo_;
  }

  static bool is_pipelined(const std::string& algorithm) { return algorithm.ends_with(kPipelined); }

  void verify() {
    Verifier verifier(comm_, problem_.size);
    for (const std::string& algorithm : options_.common.algorithms)
      errors_[algorithm] = verifier.relative_error(use(algorithm), timer_);
  }

  apps::Run measure(const std::string& algorithm) {
    const Transform<Real>& transform = use(algorithm);
    transform.execute(timer_);
    timer_.begin_run();
    for (int i = 0; i < options_.iterations; ++i) transform.execute(timer_);
    apps::Run run = timer_.end_run();
    run.is_split = algorithm != kFftwMpi && !is_pipelined(algorithm);
    return run;
  }

  apps::Json about() const {
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
        if (options_.pipeline != 0) about["pipeline"] = options_.pipeline;
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

  void require_right() const {
    for (const auto& [algorithm, error] : errors_)
      if (!(error <= kMostError<Real>))
        throw support::WrongResult(
            fmt::format("the result with {} is wrong: its relative error is {:.3g}, more than "
                        "{:.0e}",
                        algorithm, error, kMostError<Real>));
  }

  const Options& options_;
  const support::Communicator& comm_;
  bool is_first_;
  Problem problem_;
  apps::ExchangeTimer timer_;
  std::unique_ptr<Decomposition<Real>> decomposition_;
  std::unique_ptr<Transform<Real>> by_rondo_;    ///< if an algorithm needs it
  std::unique_ptr<Transform<Real>> pipelined_;   ///< with --pipeline
  std::unique_ptr<Transform<Real>> by_library_;  ///< if it is requested
  std::map<std::string, double> errors_;         ///< by algorithm, if verified
};

template <class Real>
int run_session(const Options& options) {
  const support::Communicator comm(MPI_COMM_WORLD);
  Session<Real> session(options, comm);
  session.run();
  return EXIT_SUCCESS;
}

int transform(const Options& options, int) {
  if (options.precision == Precision::float32) return run_session<float>(options);
  return run_session<double>(options);
}

}  // namespace

}  // namespace rondo::fft

int main(int argc, char** argv) {
  using namespace rondo::fft;
  return rondo::support::run_program<Options>(
      kProgram, [&] { return parse_options(argc, argv); }, transform);
}
