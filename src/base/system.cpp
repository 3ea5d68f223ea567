#include "base/system.hpp"

#include <cerrno>
#include <ctime>

#include "base/file.hpp"

namespace rondo {

namespace {

constexpr int kHeld[] = {SIGXFSZ, SIGPIPE};

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kHeld) sigaddset(&held, signal);
  sigemptyset(&pending_);
  sigpending(&pending_);
  pthread_sigmask(SIG_BLOCK, &held, &mask_);
}

/// Takes the signals that have come, so that the program does not get them afterwards.
HeldSignals::~HeldSignals() {
  const int error = errno;
  const timespec at_once{};
  for (const int signal : kHeld) {
    if (sigismember(&pending_, signal) == 1) continue;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    while (sigtimedwait(&one, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  errno = error;
}

std::string kernel_id() {
  const std::string contents = try_to_read("/proc/sys/kernel/random/boot_id").text;
  return contents.substr(0, contents.find('\n'));
}

}  // namespace rondo
