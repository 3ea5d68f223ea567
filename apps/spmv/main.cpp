// rondo-spmv: the largest eigenvalue of a sparse matrix, and the cost of the exchanges.
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "common/report.hpp"
#include "spmv/power.hpp"
#include "support/program.hpp"

namespace rondo::spmv {

namespace {

constexpr const char* kProgram = "rondo-spmv";
constexpr double kMostError = 1e-12;

/// What the report says of the halo: sums, and the most of any rank.
struct Totals {
  std::uint64_t entries;
  std::uint64_t halo_bytes;
  std::uint64_t neighbours;
};

Totals totals_of(const PowerIteration& power, const support::Communicator& comm) {
  std::uint64_t sums[] = {power.entries(), power.halo().leaving.size() * sizeof(double)};
  std::uint64_t most[] = {power.halo().to.ranks.size()};
  support::all_reduce(comm, sums, MPI_SUM);
  support::all_reduce(comm, most, MPI_MAX);
  return {sums[0], sums[1], most[0]};
}

class Session {
 public:
  /// Collective. Throws Error on all ranks if an option cannot be satisfied.
  Session(const Options& options, const support::Communicator& comm)
      : options_(options),
        comm_(comm),
        timer_(comm, options.common.meet),
        matrix_(options, comm),
        power_(matrix_, comm),
        totals_(totals_of(power_, comm)) {
    for (const std::string& algorithm : options_.common.algorithms) power_.use(algorithm);
  }

  /// Collective. Verifies products if requested, measures, and reports on rank 0. Throws WrongResult on
  /// all ranks if a product is wrong.
  void run() {
    const auto& common = options_.common;
    if (options_.verify)
      for (const std::string& algorithm : common.algorithms) {
        power_.use(algorithm);
        errors_[algorithm] = power_.relative_error(timer_);
      }
    const std::vector<apps::Arm> arms = apps::run_in_turn(
        comm_, common, [this](const std::string& algorithm) { return measure(algorithm); });
    support::collectively(comm_, [&] {
      if (comm_.rank() == 0) apps::print_report(common, about(), arms);
    });
    require_right();
  }

 private:
  apps::Run measure(const std::string& algorithm) {
    power_.use(algorithm);
    power_.run(1, timer_);
    timer_.begin_run();
    eigenvalues_[algorithm] = power_.run(options_.iterations, timer_);
    return timer_.end_run();
  }

  apps::Json about() const {
    apps::Json about{{"program", kProgram},
                     {"ranks", comm_.ranks()},
                     {"matrix", options_.matrix},
                     {"rows", matrix_.order()},
                     {"entries", totals_.entries},
                     {"halo_bytes", totals_.halo_bytes},
                     {"most_neighbours", totals_.neighbours},
                     {"iterations", options_.iterations}};
    for (const auto& [algorithm, value] : eigenvalues_) about["eigenvalue"][algorithm] = value;
    for (const auto& [algorithm, error] : errors_) about["relative_error"][algorithm] = error;
    return about;
  }

  void require_right() const {
    for (const auto& [algorithm, error] : errors_)
      if (!(error <= kMostError))
        throw support::WrongResult(fmt::format(
            "the product with {} is wrong: its relative error is {:.3g}, more than {:.0e}",
            algorithm, error, kMostError));
  }

  const Options& options_;
  const support::Communicator& comm_;
  apps::ExchangeTimer timer_;
  Matrix matrix_;
  PowerIteration power_;
  Totals totals_;
  std::map<std::string, double> eigenvalues_;
  std::map<std::string, double> errors_;  ///< if verified
};

int estimate(const Options& options, int) {
  const support::Communicator comm(MPI_COMM_WORLD);
  Session(options, comm).run();
  return EXIT_SUCCESS;
}

}  // namespace

}  // namespace rondo::spmv

int main(int argc, char** argv) {
  using namespace rondo::spmv;
  return rondo::support::run_program<Options>(
      kProgram, [&] { return parse_options(argc, argv); }, estimate);
}
