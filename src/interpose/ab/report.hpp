// What `--ab` found out, as text. No MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/form.hpp"
#include "interpose/ab/pairs.hpp"

namespace rondo::interpose::ab {

/// One collective on one communicator.
struct Compared {
  api::Form form;
  std::int64_t ranks;
  std::uint64_t seed;
  std::int64_t calls;  ///< that took turns
  std::vector<Pair> pairs;
};

/// The whole run; seconds are means over the ranks.
struct WholeRun {
  int ranks;
  double wall_seconds;  ///< not finite where the system does not tell when a process began
  double exchange_seconds;
};

std::string report_text(const WholeRun& run, const std::vector<Compared>& all);

}  // namespace rondo::interpose::ab
