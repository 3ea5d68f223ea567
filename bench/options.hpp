// The command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algorithms.hpp"
#include "distribution.hpp"
#include "report.hpp"
#include "stretch.hpp"

namespace rondo::bench {

/// For Options::learn: on a new communicator for each S, as many as it takes.
inline constexpr int kUntilLearned = -1;

/// Of an algorithm. With fewer samples, times are not compared.
inline constexpr int kFewestSamples = 10;

struct Options {
  Call call = Call::alltoall;
  std::vector<Asked> algorithms;  ///< and what --contender names
  std::vector<std::size_t> bytes;
  Distribution distribution;
  int iterations = 50;
  int warmup = 5;
  int batch = 1;
  std::uint64_t seed = 1;
  int tests = 0;      ///< of a nonblocking exchange, while the program computes
  bool plan = false;  ///< plans are executed, and no calls made
  bool check = false;
  bool quiet = false;               ///< no word about how far it is
  bool samples = false;             ///< each of them is reported, in Format::json
  bool unprepared = false;          ///< `auto` is not set up in advance, and has no warm-up
  int learn = kUntilLearned;        ///< calls of `auto` alone before everything else
  std::optional<Stretch> one_core;  ///< when all ranks of a node run on one core
  Format format = Format::table;
  std::string output;     ///< empty: standard output
  bool variants = false;  ///< what is worth running is printed, and nothing measured
  std::string command;    ///< these options as a shell takes them

  /// Whether times are compared. Fewer samples are taken for a check of the bytes.
  bool is_timed() const { return iterations >= kFewestSamples; }

  /// Whether `auto` learns before it is measured, as in a program that exchanges for long. Plans and
  /// starts do not learn from calls.
  bool learns_first() const {
    return is_timed() && learn == kUntilLearned && !unprepared && !plan && !is_started(call);
  }

  /// Whether a disturbed measurement is repeated. What counts the calls of a communicator from its
  /// first one cannot be.
  bool can_repeat() const {
    return is_timed() && !unprepared && learn == kUntilLearned && !one_core;
  }
};

/// Or the text that is printed in place of a run. Needs no MPI, and says the same on every rank. Throws
/// Error(argument) in one sentence.
std::variant<Options, std::string> parse_options(int argc, const char* const* argv);

}  // namespace rondo::bench
