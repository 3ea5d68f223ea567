// What the rounds of a program moved, and how long their exchanges took with each algorithm.
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
  /// The iterations of another run, as many as those of the runs before.
  void add(const std::string& algorithm, std::span<const Iteration> iterations);

  /// An object for each iteration: new_tuples, bytes, largest_block_bytes, and exchange_seconds, an
  /// object with the median over the runs of each algorithm. (HPDC 2022, figure 12, is made of these.)
  apps::Json to_json(std::span<const apps::Arm> arms) const;

  /// The same as a table on standard output.
  void print(std::span<const apps::Arm> arms) const;

 private:
  double median_seconds(const std::string& algorithm, std::size_t iteration) const;

  std::vector<Iteration> first_run_;
  std::map<std::string, std::vector<std::vector<double>>> seconds_;  ///< [iteration][run]
};

}  // namespace rondo::relalg
