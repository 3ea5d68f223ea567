#include "relalg/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rondo::relalg {

namespace {
constexpr std::size_t kWidth = 12;
constexpr double kMicroseconds = 1e6;
}  // namespace

void Rounds::add(const std::string& algorithm, std::span<const Iteration> iterations) {
  if (first_run_.empty()) first_run_.assign(iterations.begin(), iterations.end());
  std::vector<std::vector<double>>& seconds = seconds_[algorithm];
  seconds.resize(iterations.size());
  for (std::size_t i = 0; i < iterations.size(); ++i)
    seconds[i].push_back(iterations[i].exchange_seconds);
}

double Rounds::median_seconds(const std::string& algorithm, std::size_t iteration) const {
  std::vector<double> runs = seconds_.at(algorithm)[iteration];
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end());
  return *middle;
}

apps::Json Rounds::to_json(std::span<const apps::Arm> arms) const {
  apps::Json rounds = apps::Json::array();
  for (std::size_t i = 0; i < first_run_.size(); ++i) {
    apps::Json seconds;
    for (const apps::Arm& arm : arms) seconds[arm.algorithm] = median_seconds(arm.algorithm, i);
    rounds.push_back({{"new_tuples", first_run_[i].new_tuples},
                      {"bytes", first_run_[i].bytes},
                      {"largest_block_bytes", first_run_[i].largest_block_bytes},
                      {"exchange_seconds", seconds}});
  }
  return rounds;
}

void Rounds::print(std::span<const apps::Arm> arms) const {
  fmt::print("{:>9}  {:>{}}  {:>{}}  {:>{}}", "iteration", "new tuples", kWidth, "bytes", kWidth,
             "largest block", kWidth + 1);
  for (const apps::Arm& arm : arms) fmt::print("  {:>{}}", arm.algorithm + " us", kWidth);
  fmt::print("\n");
  for (std::size_t i = 0; i < first_run_.size(); ++i) {
    const Iteration& round = first_run_[i];
    fmt::print("{:>9}  {:>{}}  {:>{}}  {:>{}}", i + 1, round.new_tuples, kWidth, round.bytes,
               kWidth, round.largest_block_bytes, kWidth + 1);
    for (const apps::Arm& arm : arms)
      fmt::print("  {:>{}.1f}", kMicroseconds * median_seconds(arm.algorithm, i),
                 std::max(kWidth, arm.algorithm.size() + 3));
    fmt::print("\n");
  }
}

}  // namespace rondo::relalg
