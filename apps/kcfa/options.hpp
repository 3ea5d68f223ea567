// The command line of rondo-kcfa.
#pragma once

#include <string>
#include <variant>

#include "answer.hpp"
#include "support/options.hpp"

namespace rondo::kcfa {

struct Options {
  apps::CommonOptions common;
  std::string file;      ///< to read, or empty
  std::string generate;  ///< a specification where there is no file
  std::string output;    ///< where the flow goes, or empty
  int k = 1;
};

/// Throws Error(argument) in one sentence. The answer to --print-program is the program's text.
std::variant<Options, bench::Answer> parse_options(int argc, const char* const* argv);

}  // namespace rondo::kcfa
