// Runs algorithms in turn and reports on them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/exchange_timer.hpp"
#include "common/options.hpp"
#include "support/progress.hpp"

namespace rondo::apps {

using support::Json;

/// The runs with one algorithm.
struct Arm {
  std::string algorithm;
  std::vector<Run> runs;
};

/// Collective. Calls `run(algorithm)`, which returns a Run, --repeat times for each of the
/// algorithms. Every other pass runs backwards, so that a trend favours no algorithm. Rank 0 shows
/// the progress.
template <class RunOne>
std::vector<Arm> run_in_turn(const support::Communicator& comm, const CommonOptions& options,
                             RunOne&& run) {
  std::vector<Arm> arms;
  for (const std::string& algorithm : options.algorithms) arms.push_back({algorithm, {}});
  support::Progress progress(comm.rank() == 0 && !options.quiet,
                             arms.size() * static_cast<std::size_t>(options.repeat));
  for (int round = 0; round < options.repeat; ++round)
    for (std::size_t i = 0; i < arms.size(); ++i) {
      Arm& arm = arms[round % 2 == 0 ? i : arms.size() - 1 - i];
      progress.step(arm.algorithm);
      arm.runs.push_back(run(arm.algorithm));
    }
  return arms;
}

/// Prints what the run was about on standard output, one line for each member of `about`. Then
/// prints the arms: median times, and how many times faster than the first arm they are (the ratio
/// of the medians), with the 95 % interval of a bootstrap over the runs. For a single run it says
/// so instead. As JSON it prints one object, `about` with `arms` added. Times that are unknown for
/// a run that is not split are left out. As CSV it prints a row for each arm. Rank 0 calls this.
void print_report(const CommonOptions& options, Json about, std::span<const Arm> arms);

}  // namespace rondo::apps
