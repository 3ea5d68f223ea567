// Shows the progress of a long run.
#pragma once

#include <chrono>
#include <string>

namespace rondo::support {

/// Starts to print after a while. On a terminal, rewrites one line of standard error a few times a
/// second. Otherwise, as under a launcher, which reads standard error from a pipe, prints lines: at
/// most one in two seconds, and fewer as time goes on.
class Progress {
 public:
  /// `enabled` is false on ranks that must not print, and with --quiet.
  Progress(bool enabled, std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A step begins; `what` names what it belongs to.
  void step(const std::string& what);

  /// `done` steps are done.
  void move_to(std::size_t done, const std::string& what);

  /// Removes the line, so that something else can be printed.
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
