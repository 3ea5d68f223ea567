// Programs whose exchanges take turns, simulated: the times that a rank would have kept, and the
// true durations of whole runs.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "dropin/report/times.hpp"
#include "dropin/report/turns.hpp"

namespace rondo::dropin::ab {

/// One collective on one communicator, which each iteration of the program calls once.
struct SimulatedSeries {
  double library_seconds;  ///< a call's
  double rondo_seconds;
};

struct SimulatedProgram {
  std::vector<SimulatedSeries> series;
  std::int64_t iterations;
  /// What an iteration takes besides its calls.
  std::function<double(std::int64_t iteration, std::mt19937_64& random)> computing;
  double start_seconds = 0;  ///< before the first call
  double set_up_seconds = 0;
};

/// The turns of one series as its calls go by.
class SimulatedClock {
 public:
  SimulatedClock(const SimulatedSeries& costs, std::uint64_t order, double now)
      : costs_(costs), times_{.order = order}, turn_begin_(now) {}

  double next_call() const {
    return arm_of(times_.order, times_.calls) == Arm::library ? costs_.library_seconds
                                                              : costs_.rondo_seconds;
  }

  void end_call(double now, double seconds, std::int64_t calls) {
    inside_ += seconds;
    if (++times_.calls % kTurnCalls != 0) return;
    const double elapsed = now - turn_begin_;
    times_.turns.push_back({.end = calls,
                            .elapsed = static_cast<float>(elapsed),
                            .inside = static_cast<float>(inside_),
                            .outside = static_cast<float>(elapsed - inside_)});
    turn_begin_ = now;
    inside_ = 0;
  }

  const SeriesTimes& times() const { return times_; }

 private:
  SimulatedSeries costs_;
  SeriesTimes times_;
  double turn_begin_;
  double inside_ = 0;
};

inline RunTimes simulate_turns(const SimulatedProgram& program, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  double now = program.start_seconds + program.set_up_seconds;
  std::int64_t calls = 0;
  std::vector<SimulatedClock> clocks;
  for (std::size_t s = 0; s < program.series.size(); ++s)
    clocks.emplace_back(program.series[s],
                        order_of(seed, static_cast<std::int64_t>(s), buffers::Form::alltoall), now);
  RunTimes run{.set_up_seconds = program.set_up_seconds};
  for (std::int64_t iteration = 0; iteration < program.iterations; ++iteration) {
    const double part = program.computing(iteration, random) / static_cast<double>(clocks.size());
    for (SimulatedClock& clock : clocks) {
      const double seconds = clock.next_call();
      now += part + seconds;
      run.exchange_seconds += seconds;
      clock.end_call(now, seconds, ++calls);
    }
  }
  run.wall_seconds = now;
  for (const SimulatedClock& clock : clocks) run.series.push_back(clock.times());
  return run;
}

/// Of whole runs with one arm alone; `computing` is the mean of an iteration's.
inline double true_speedup(const SimulatedProgram& program, double computing) {
  double library = computing;
  double rondo = computing;
  for (const SimulatedSeries& series : program.series) {
    library += series.library_seconds;
    rondo += series.rondo_seconds;
  }
  const auto iterations = static_cast<double>(program.iterations);
  return (program.start_seconds + iterations * library) /
         (program.start_seconds + program.set_up_seconds + iterations * rondo);
}

}  // namespace rondo::dropin::ab
