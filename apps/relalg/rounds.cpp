#include "relalg/rounds.hpp"

#include <fmt/format.h>

#include "support/statistics.hpp"
#include "support/text.hpp"

namespace rondo::relalg {

void Rounds::add(const std::string& algorithm, std::span<const Iteration> iterations) {
  if (first_run_.empty()) first_run_.assign(iterations.begin(), iterations.end());
  std::vector<std::vector<double>>& seconds = seconds_[algorithm];
  seconds.resize(iterations.size());
  for (std::size_t i = 0; i < iterations.size(); ++i)
    seconds[i].push_back(iterations[i].exchange_seconds);
}

double Rounds::median_seconds(const std::string& algorithm, std::size_t iteration) const {
  std::vector<double> runs = seconds_.at(algorithm)[iteration];
  return support::median(runs);
}

apps::Json Rounds::to_json(std::span<const apps::Arm> arms) const {
  apps::Json rounds = apps::Json::array();
  for (std::size_t i = 0; i < first_run_.size(); ++i) {
    apps::Json seconds;
    for (const apps::Arm& arm : arms) seconds[arm.algorithm] = median_seconds(arm.algorithm, i);
    rounds.push_back({{"new_tuples", first_run_[i].new_tuples},
                      {"bytes", first_run_[i].bytes},
                      {"largest_block_bytes", first_run_[i].largest_block_bytes},
                      {"sparse", first_run_[i].is_sparse},
                      {"exchange_seconds", seconds}});
  }
  return rounds;
}

void Rounds::print(std::span<const apps::Arm> arms) const {
  std::vector<support::Line> lines{{"iteration", "new tuples", "bytes", "largest block"}};
  for (const apps::Arm& arm : arms) lines.front().push_back(arm.algorithm + " us");
  for (std::size_t i = 0; i < first_run_.size(); ++i) {
    const Iteration& round = first_run_[i];
    support::Line& line = lines.emplace_back();
    for (const std::size_t cell : {i + 1, round.new_tuples, round.bytes, round.largest_block_bytes})
      line.push_back(std::to_string(cell));
    for (const apps::Arm& arm : arms)
      line.push_back(fmt::format("{:.1f}", 1e6 * median_seconds(arm.algorithm, i)));
  }
  fmt::print("{}", support::align(lines));
}

}  // namespace rondo::relalg
