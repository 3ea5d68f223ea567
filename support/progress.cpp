#include "support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace rondo::support {

namespace {
constexpr std::chrono::milliseconds kSilence{2000};
constexpr std::chrono::milliseconds kRewriting{250};
constexpr int kLineShare = 4;
constexpr const char* kEraseLine = "\r\033[K";
/// Whether standard error is a terminal on which a line can be erased.
bool understands_escapes() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

Progress::Progress(bool enabled, std::size_t steps)
    : enabled_(enabled),
      is_terminal_(understands_escapes()),
      steps_(steps),
      start_(Clock::now()),
      next_(start_ + kSilence) {}

Progress::~Progress() {
  clear();
}

void Progress::step(const std::string& what) {
  move_to(done_ + 1, what);
}

void Progress::move_to(std::size_t done, const std::string& what) {
  done_ = done;
  const Clock::time_point now = Clock::now();
  if (!enabled_ || now < next_) return;
  const std::size_t finished = std::min(done_ - std::min<std::size_t>(done_, 1), steps_);
  const std::size_t percent = 100 * finished / steps_;
  if (is_terminal_) {
    next_ = now + kRewriting;
    shown_ = true;
    fmt::print(stderr, "{}{:3}% {}", kEraseLine, percent, what);
  } else {
    next_ = now + std::max<Clock::duration>(kSilence, (now - start_) / kLineShare);
    fmt::print(stderr, "{:3}% {}\n", percent, what);
  }
  std::fflush(stderr);
}

void Progress::clear() {
  if (shown_) std::fputs(kEraseLine, stderr);
  shown_ = false;
}

}  // namespace rondo::support
