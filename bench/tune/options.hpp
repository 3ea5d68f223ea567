// The command line of rondo-tune.
#pragma once

#include <string>
#include <variant>

#include "answer.hpp"

namespace rondo::bench {

struct TuneOptions {
  double budget_seconds = 60;
  std::string into;       ///< the profile's file
  bool quiet = false;     ///< no word about how far it is
  bool progress = false;  ///< as JSON lines on standard output
};

/// As parse_options().
std::variant<TuneOptions, Answer> parse_tune_options(int argc, const char* const* argv);

}  // namespace rondo::bench
