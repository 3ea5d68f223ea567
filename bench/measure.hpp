// The measuring loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exchange.hpp"
#include "stretch.hpp"

namespace rondo::bench {

/// What is timed after a barrier of its own. It writes this rank's microseconds, divided by the calls of a
/// batch, into its figures.
struct Take {
  std::size_t figures = 1;
  bool exchanges = true;  ///< so that there are bytes to check
  std::function<void(const Contender&, std::span<double>)> run;
};

/// How to measure one block size.
struct Method {
  int iterations = 1;
  int warmup = 0;
  int batch = 1;  ///< calls in a sample
  std::uint64_t seed = 0;
  bool check = false;
  int learn = 0;                      ///< calls of `auto` alone, before everything else
  bool is_auto_unprepared = false;    ///< then it takes no part in the warm-up
  bool notes_runs = false;            ///< what `auto` ran in each iteration
  std::optional<Stretch> one_core{};  ///< when all ranks of a node run on one core
};

/// The first of a contender, and the rank that it was found on.
struct FirstMistake {
  int rank = 0;
  Mistake mistake{};
};

/// Times and errors by contender, in their order.
struct Measurement {
  /// Samples of the slowest rank, on rank 0 only: for each contender all figures of all takes.
  std::vector<std::vector<double>> microseconds;
  std::vector<std::uint64_t> errors;                  ///< wrong bytes of all ranks and iterations
  std::vector<std::optional<FirstMistake>> mistakes;  ///< by contender, on rank 0 only
  double bytes_per_rank = 0;  ///< that a rank sends in a call: the mean over ranks and iterations
  std::vector<std::string> ran;  ///< by `auto` in each iteration, if Method::notes_runs
};

/// Collective. The contenders run interleaved, iteration by iteration, in an order that is shuffled
/// anew for each iteration, so that a disturbance of the machine hits all alike. For a sample, ranks
/// meet in a barrier; each then takes the time from its start of the call to its end, divided by n for
/// a batch of n calls; the largest time over the ranks counts. Block lengths are drawn anew for each
/// iteration, the same for all contenders. Drawing, filling and checking are not timed.
/// `announce(contender, iteration)` is called before its first barrier.
Measurement measure(const Communicator& comm, std::span<const Contender* const> contenders,
                    std::span<const Take> takes, Exchange& exchange, const Method& method,
                    const std::function<void(const Contender&, int)>& announce);

/// The same, with Exchange::run() as the only take.
Measurement measure(const Communicator& comm, std::span<const Contender* const> contenders,
                    Exchange& exchange, const Method& method,
                    const std::function<void(const Contender&, int)>& announce);

}  // namespace rondo::bench
