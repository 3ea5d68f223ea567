#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace rondo::bench {

namespace {
constexpr std::chrono::milliseconds kSilence{1500};
constexpr std::chrono::milliseconds kInterval{250};
constexpr const char* kEraseLine = "\r\033[K";
}  // namespace

Progress::Progress(bool enabled, std::size_t steps)
    : enabled_(enabled && isatty(STDERR_FILENO) == 1),
      steps_(steps),
      next_(Clock::now() + kSilence) {}

Progress::~Progress() {
  clear();
}

void Progress::step(const std::string& what) {
  move_to(done_ + 1, what);
}

void Progress::move_to(std::size_t done, const std::string& what) {
  done_ = done;
  if (!enabled_ || Clock::now() < next_) return;
  next_ = Clock::now() + kInterval;
  shown_ = true;
  fmt::print(stderr, "{}{:3}% {}", kEraseLine,
             100 * (done_ - std::min<std::size_t>(done_, 1)) / steps_, what);
  std::fflush(stderr);
}

void Progress::clear() {
  if (shown_) std::fputs(kEraseLine, stderr);
  shown_ = false;
}

}  // namespace rondo::bench
