// What tells how far a long run is.
#pragma once

#include <chrono>
#include <string>

namespace rondo::support {

/// Once the run has taken a while: on a terminal, rewrites one line of standard error a few times a second.
/// Anywhere else, as under a launcher, which reads it from a pipe, writes lines: at most one in two
/// seconds, and ever fewer.
class Progress {
 public:
  /// A rank that must not print passes enabled = false, and one that was asked to be quiet.
  Progress(bool enabled, std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One of the steps begins; `what` says what it belongs to.
  void step(const std::string& what);

  /// So many of the steps are done.
  void move_to(std::size_t done, const std::string& what);

  /// Remove the line, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool is_terminal_;
  bool shown_ = false;
  std::size_t steps_;
  std::size_t done_ = 0;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace rondo::support
