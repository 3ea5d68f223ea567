// Results as text for people and for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "first_calls.hpp"
#include "origin.hpp"
#include "overlap.hpp"
#include "round_trip.hpp"
#include "support/file.hpp"
#include "support/records.hpp"
#include "support/statistics.hpp"

namespace rondo::bench {

/// One line of results: one algorithm at one block size.
struct Result {
  std::string collective;
  std::string algorithm;   ///< as the user wrote it
  std::string parameters;  ///< the values that it ran with; for auto, the algorithm that it ran
  int ranks = 0;
  int nodes = 0;
  std::size_t bytes = 0;  ///< S
  std::string distribution;
  int iterations = 0;
  int warmup = 0;
  int batch = 1;
  std::uint64_t seed = 0;
  int draws = 1;  ///< of block lengths, which took turns
  support::Summary microseconds;
  double bytes_per_rank = 0;  ///< mean over ranks of what one sends in a call, itself included
  std::optional<int> rounds;  ///< nothing if the schedule is not known
  std::optional<std::uint64_t> errors{};    ///< wrong bytes; nothing without --check
  double speedup = 1;                       ///< median of `mpi` over this median
  std::string disturbed{};                  ///< by what; empty if the figures can be compared
  std::optional<FirstCalls> first_calls{};  ///< of `auto`, if it has learned before it was measured
  std::optional<Overlap> overlap{};         ///< of a nonblocking exchange
  RoundTrips round_trips{};                 ///< of a flag between two cores
  Origin origin{};
  std::vector<double> samples{};   ///< microseconds, in the order of the iterations; with --samples
  std::vector<std::string> ran{};  ///< by `auto` in each iteration; with --samples
};

using support::Format;
using support::Json;

/// Rounds to nanoseconds, below which clocks resolve nothing.
double rounded(double microseconds);

/// Adds "median_us" and the other times to `line`.
void add_times(Json& line, const support::Summary& microseconds);

/// One JSON object on one line.
std::string to_json_line(const Result& result);

/// Comma-separated values, named as the JSON keys; a value that is not known is empty. Results with
/// overlap have more of them.
std::string csv_header(bool has_overlap);
std::string to_csv_line(const Result& result);

/// A heading and an aligned table of the results of one size. The fastest line without wrong bytes has a
/// star, or the one that adds least to computing; none if the measurement was disturbed.
/// `note` stands under the heading unless it is empty.
std::string to_table(std::span<const Result> results, const std::string& note);

/// Results in a file, or on standard output.
class Report {
 public:
  /// An empty `path` is standard output. `origin` is printed above the first table, `note` above each.
  /// `has_overlap` says whether the results will have it.
  /// Throws Error(argument) with the system's reason if the file cannot be opened. The other functions
  /// do so if it cannot be written.
  Report(Format format, const std::string& path, const Origin& origin, std::string note,
         bool has_overlap = false);

  /// Writes the results of one size at once, so that a long run can be watched.
  void add(std::span<const Result> results);

 private:
  Format format_;
  std::string note_;
  support::OutputFile file_;
};

}  // namespace rondo::bench
