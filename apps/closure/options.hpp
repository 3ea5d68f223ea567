// The command line of rondo-closure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "answer.hpp"
#include "closure/generator.hpp"
#include "support/options.hpp"

namespace rondo::closure {

struct Options {
  apps::CommonOptions common;
  std::string graph;                   ///< a file, or as --generate had it
  std::optional<Generator> generator;  ///< none: `graph` is a file
  std::uint64_t seed = 1;              ///< of the generator
  std::string output;                  ///< prefix of the files; empty: none
  bool stats = false;                  ///< a line for every iteration
};

/// As apps::parse().
std::variant<Options, bench::Answer> parse_options(int argc, const char* const* argv);

}  // namespace rondo::closure
