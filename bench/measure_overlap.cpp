#include "measure_overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "compute.hpp"
#include "support/barrier.hpp"

namespace rondo::bench {

namespace {

using support::Barrier;

/// Rondo prepares a few exchanges on a communicator before it carries them out itself.
constexpr int kFirstExchanges = 16;
constexpr int kCalibrations = 5;
constexpr int kMostAdjustments = 10;
constexpr double kCloseEnough = 0.05;
constexpr std::uint64_t kFirstSteps = 1000;

double microseconds_since(double start) {
  return (MPI_Wtime() - start) * 1e6;
}

/// How long each contender has to compute.
class Calibration {
 public:
  Calibration(const Communicator& comm, Exchange& exchange)
      : comm_(comm), barrier_(comm), exchange_(exchange) {}

  /// Collective. Returns the steps of compute() that take as long as the exchange, where all ranks
  /// compute at once.
  std::uint64_t steps_for(const Contender& contender) {
    for (int first = 0; first < kFirstExchanges; ++first) exchange_.run(contender);
    int draw = 0;
    const double wanted = slowest_median([&] {
      exchange_.draw(draw++);
      exchange_.run(contender);
    });
    std::uint64_t steps = kFirstSteps;
    for (int adjustment = 0; adjustment < kMostAdjustments; ++adjustment) {
      const double found = slowest_median([&] { compute(steps); });
      const double factor = wanted / std::max(found, 1e-3);
      if (std::abs(factor - 1) < kCloseEnough) break;
      // A short time says little about a long one.
      steps = static_cast<std::uint64_t>(
          std::max(1.0, static_cast<double>(steps) * std::clamp(factor, 0.25, 4.0)));
    }
    return steps;
  }

 private:
  template <class Body>
  double slowest_median(Body&& body) {
    std::array<double, kCalibrations> times{};
    for (double& time : times) {
      barrier_.wait();
      const double start = MPI_Wtime();
      body();
      time = microseconds_since(start);
    }
    support::all_reduce(comm_, times, MPI_MAX);
    return support::median(times);
  }

  const Communicator& comm_;
  Barrier barrier_;
  Exchange& exchange_;
};

class OverlapTakes {
 public:
  OverlapTakes(Exchange& exchange, int batch, int tests)
      : exchange_(exchange), batch_(batch), tests_(tests) {}

  void set_steps(const Contender& contender, std::uint64_t steps) { steps_[&contender] = steps; }

  /// They refer to this object.
  std::array<Take, 3> takes() {
    using Figures = std::span<double>;
    return {
        Take{.figures = 2, .run = [this](const Contender& one, Figures to) { take_pure(one, to); }},
        Take{.exchanges = false,
             .run = [this](const Contender& one, Figures to) { take_compute(one, to); }},
        Take{.run = [this](const Contender& one, Figures to) { take_total(one, to); }}};
  }

 private:
  void take_pure(const Contender& contender, std::span<double> to) {
    double starting = 0;
    const double start = MPI_Wtime();
    for (int call = 0; call < batch_; ++call) {
      const double before = MPI_Wtime();
      exchange_.start(contender);
      starting += microseconds_since(before);
      exchange_.wait(contender);
    }
    to[0] = microseconds_since(start) / batch_;
    to[1] = starting / batch_;
  }

  void take_compute(const Contender& contender, std::span<double> to) {
    const std::uint64_t steps = steps_.at(&contender);
    const double start = MPI_Wtime();
    for (int call = 0; call < batch_; ++call) compute_slices(steps, [] {});
    to[0] = microseconds_since(start) / batch_;
  }

  void take_total(const Contender& contender, std::span<double> to) {
    const std::uint64_t steps = steps_.at(&contender);
    const double start = MPI_Wtime();
    for (int call = 0; call < batch_; ++call) {
      exchange_.start(contender);
      bool is_over = false;
      compute_slices(steps, [&] { is_over = is_over || exchange_.test(contender); });
      exchange_.wait(contender);
    }
    to[0] = microseconds_since(start) / batch_;
  }

  template <class Between>
  void compute_slices(std::uint64_t steps, Between&& between) const {
    const auto slices = static_cast<std::uint64_t>(tests_) + 1;
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      if (slice != 0) between();
      compute(steps * (slice + 1) / slices - steps * slice / slices);
    }
  }

  Exchange& exchange_;
  int batch_;
  int tests_;
  std::map<const Contender*, std::uint64_t> steps_;
};

/// Takes the series of one contender out of all.
OverlapSamples samples_of(std::span<std::vector<double>> series) {
  return {.pure = std::move(series[0]),
          .start = std::move(series[1]),
          .compute = std::move(series[2]),
          .total = std::move(series[3])};
}

}  // namespace

OverlapMeasurement measure_overlap(const Communicator& comm,
                                   std::span<const Contender* const> contenders, Exchange& exchange,
                                   const Method& method, int tests,
                                   const std::function<void(const Contender&, int)>& announce) {
  constexpr std::size_t kFigures = 4;
  OverlapTakes overlap(exchange, method.batch, tests);
  Calibration calibration(comm, exchange);
  for (const Contender* const contender : contenders)
    overlap.set_steps(*contender, calibration.steps_for(*contender));
  OverlapMeasurement measured{
      .exchanges = measure(comm, contenders, overlap.takes(), exchange, method, announce)};
  auto& all = measured.exchanges.microseconds;
  for (std::size_t at = 0; at < all.size(); at += kFigures)
    measured.overlaps.push_back(samples_of(std::span(all).subspan(at, kFigures)));
  all.clear();
  for (const OverlapSamples& samples : measured.overlaps) all.push_back(samples.pure);
  return measured;
}

}  // namespace rondo::bench
