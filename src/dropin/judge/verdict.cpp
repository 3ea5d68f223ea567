// The speedup of the program, and its interval.

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/bootstrap.hpp"
#include "dropin/judge/judge.hpp"
#include "dropin/judge/pairs.hpp"
#include "dropin/judge/savings.hpp"

namespace rondo::dropin::ab {

namespace {

/// If there are more pairs, several neighbours are drawn together. The interval is as good, and the
/// program does not wait for billions of draws.
constexpr std::size_t kMostDrawn = 1024;

/// The series of a run that can be judged.
std::vector<const SeriesTimes*> judged(const RunTimes& run) {
  std::vector<const SeriesTimes*> all;
  for (const SeriesTimes& series : run.series)
    if (can_estimate(series)) all.push_back(&series);
  return all;
}

struct Range {
  double least = 0;
  double most = 0;
};

/// The effect of switching all calls of one arm to the other arm.
struct Switched {
  std::vector<double> loads;  ///< by series: how much an error of its measured mean adds
  double saved = 0;           ///< seconds that the program gains from a switch to Rondo
  Range possible;             ///< Rondo saves at most the time inside the library's calls and
                              ///< costs at most the time inside its own calls
};

Switched switched_from(const std::vector<const SeriesTimes*>& series, const Savings& savings,
                       Arm arm) {
  Switched all;
  all.loads.resize(series.size());
  for (std::size_t s = 0; s < series.size(); ++s) {
    const std::int64_t to_library = library_calls(series[s]->order, series[s]->calls);
    const auto calls =
        static_cast<double>(arm == Arm::library ? to_library : series[s]->calls - to_library);
    all.saved += calls * savings.per_call[s];
    for (std::size_t t = 0; t < series.size(); ++t) all.loads[t] += calls * savings.influence[s][t];
    const std::vector<Pair> pairs = pairs_of(*series[s]);
    const double of_pairs = calls / static_cast<double>(pairs.size() * kTurnCalls);
    for (const Pair& pair : pairs) {
      all.possible.most += of_pairs * pair.library.inside;
      all.possible.least -= of_pairs * pair.rondo.inside;
    }
  }
  return all;
}

std::vector<std::vector<double>> in_groups(const std::vector<std::vector<double>>& noise) {
  std::vector<std::vector<double>> all;
  for (const std::vector<double>& values : noise) {
    const std::size_t together = (values.size() + kMostDrawn - 1) / kMostDrawn;
    auto& groups = all.emplace_back();
    for (std::size_t first = 0; first + together <= values.size(); first += together) {
      double sum = 0;
      for (std::size_t i = first; i < first + together; ++i) sum += values[i];
      groups.push_back(sum / static_cast<double>(together));
    }
  }
  return all;
}

double mean_of_draws(const std::vector<double>& values, Drawer& draw) {
  double sum = 0;
  for (std::size_t drawn = 0; drawn < values.size(); ++drawn) sum += values[draw(values.size())];
  return sum / static_cast<double>(values.size());
}

/// The estimated times of a run with one arm alone.
struct Alone {
  double library;
  double rondo;

  double speedup() const { return library / rondo; }
};

class Model {
 public:
  Model(const RunTimes& run, const std::vector<const SeriesTimes*>& series, const Savings& savings)
      : run_(run),
        of_library_(switched_from(series, savings, Arm::library)),
        of_rondo_(switched_from(series, savings, Arm::rondo)) {}

  /// `errors` are the errors of the series' measured means.
  Alone alone(const std::vector<double>& errors) const {
    const double least = run_.wall_seconds / 100;  // no estimate may be zero or negative
    return {.library =
                std::max(least, run_.wall_seconds - run_.set_up_seconds + saved(of_rondo_, errors)),
            .rondo = std::max(least, run_.wall_seconds - saved(of_library_, errors))};
  }

 private:
  static double saved(const Switched& switched, const std::vector<double>& errors) {
    double seconds = switched.saved;
    for (std::size_t s = 0; s < errors.size(); ++s) seconds += switched.loads[s] * errors[s];
    return std::clamp(seconds, switched.possible.least, switched.possible.most);
  }

  const RunTimes& run_;
  Switched of_library_;
  Switched of_rondo_;
};

Interval interval_of(const Model& model, const Savings& savings, double widening) {
  const std::vector<std::vector<double>> noise = in_groups(savings.noise);
  std::vector<double> errors(noise.size());
  const Interval speedup = bootstrap(0, [&](Drawer& draw) {
    for (std::size_t s = 0; s < noise.size(); ++s) errors[s] = mean_of_draws(noise[s], draw);
    return model.alone(errors).speedup();
  });
  return {.low = speedup.low * (1 - widening), .high = speedup.high * (1 + widening)};
}

}  // namespace

std::optional<Verdict> judge(const RunTimes& run) {
  const std::vector<const SeriesTimes*> series = judged(run);
  if (series.empty()) return std::nullopt;
  const std::optional<Savings> savings = savings_of(series);
  if (!savings) return std::nullopt;
  const Model model(run, series, *savings);
  const Alone alone = model.alone(std::vector<double>(series.size()));
  const double widening = run.shares_cores ? kBetweenRunsOnSharedCores : kBetweenRuns;
  return Verdict{.library_alone_seconds = alone.library,
                 .rondo_alone_seconds = alone.rondo,
                 .interval = interval_of(model, *savings, widening),
                 .pairs = savings->pairs,
                 .widening = widening};
}

/// Without the widening the interval shrinks with the square root of the number of pairs.
std::optional<double> Verdict::times_as_long() const {
  const bool is_faster = speedup() > 1;
  const double end = is_faster ? interval.low / (1 - widening) : interval.high / (1 + widening);
  const double allowed =
      std::abs(speedup() - (is_faster ? 1 / (1 - widening) : 1 / (1 + widening)));
  const bool is_beyond =
      is_faster ? speedup() * (1 - widening) > 1 : speedup() * (1 + widening) < 1;
  if (!is_beyond || allowed == 0) return std::nullopt;
  return std::pow((speedup() - end) / allowed, 2);
}

std::int64_t calls_left_out(const RunTimes& run) {
  std::int64_t calls = 0;
  for (const SeriesTimes& series : run.series)
    calls += series.calls - (can_estimate(series)
                                 ? static_cast<std::int64_t>(pairs_of(series).size()) * kPairCalls
                                 : 0);
  return calls;
}

}  // namespace rondo::dropin::ab
