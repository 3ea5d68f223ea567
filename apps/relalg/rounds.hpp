// What the rounds of a program sent, and how long their exchanges took with each algorithm.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/report.hpp"
#include "relalg/program.hpp"

namespace rondo::relalg {

class Rounds {
 public:
  /// Adds the iterations of another run. All runs have the same number of iterations.
  void add(const std::string& algorithm, std::span<const Iteration> iterations);

  /// Returns an object for each iteration with new_tuples, bytes, largest_block_bytes, sparse and
  /// exchange_seconds, an object with each algorithm's median over the runs. (HPDC 2022, figure 12,
  /// shows these.)
  apps::Json to_json(std::span<const apps::Arm> arms) const;

  /// Prints the same as a table on standard output.
  void print(std::span<const apps::Arm> arms) const;

 private:
  double median_seconds(const std::string& algorithm, std::size_t iteration) const;

  std::vector<Iteration> first_run_;
  std::map<std::string, std::vector<std::vector<double>>> seconds_;  ///< [iteration][run]
};

}  // namespace rondo::relalg
