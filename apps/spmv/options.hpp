// The command line of rondo-spmv.
#pragma once

#include <optional>
#include <variant>

#include "common/options.hpp"
#include "spmv/generator.hpp"

namespace rondo::spmv {

struct Options {
  apps::CommonOptions common;
  std::string matrix;                  ///< a file, or the argument of --generate
  std::optional<Generator> generator;  ///< none if `matrix` is a file
  std::uint64_t seed = 1;              ///< of the generator
  int iterations = 100;
  bool verify = false;
};

/// The names in --algorithm of the MPI library's neighbourhood call and of sends and receives.
inline constexpr const char* kMpi = "mpi";
inline constexpr const char* kByHand = "by_hand";

/// Throws Error(argument) in one sentence.
std::variant<Options, std::string> parse_options(int argc, const char* const* argv);

}  // namespace rondo::spmv
