// Algorithms run in turn, and what is said about them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/exchange_timer.hpp"
#include "common/options.hpp"
#include "support/progress.hpp"

namespace rondo::apps {

using Json = nlohmann::ordered_json;

/// The runs with one algorithm.
struct Arm {
  std::string algorithm;
  std::vector<Run> runs;
};

/// Collective. Call `run(algorithm)`, which returns a Run, once for each of the algorithms, and that
/// --repeat times, every other time backwards: what gets slower or faster meanwhile favours nobody.
/// Rank 0 says how far it is.
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

/// Print on standard output what the run was about, a line for each member of the object, and then
/// the arms: median times, and how many times faster than the first arm (the ratio of these medians), with
/// the 95 % interval of a bootstrap over the runs; of one run it says that it is one. As JSON: one object,
/// `about` with `arms` added.
/// What is not known of a run that is not split is left out.
/// Rank 0 calls it.
void print_report(const CommonOptions& options, Json about, std::span<const Arm> arms);

}  // namespace rondo::apps
