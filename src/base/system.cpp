#include "base/system.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <span>
#include <utility>

#include "base/file.hpp"

namespace rondo {

namespace {

constexpr int kHeld[] = {SIGXFSZ, SIGPIPE};

/// While it lives, its thread, and those that it starts, hold back `signals`.
class ThreadMask {
 public:
  explicit ThreadMask(const sigset_t& signals) { pthread_sigmask(SIG_SETMASK, &signals, &before_); }
  ~ThreadMask() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ThreadMask(const ThreadMask&) = delete;
  ThreadMask& operator=(const ThreadMask&) = delete;

 private:
  sigset_t before_{};
};

/// Maps the pages of `object` and returns 1, which ends the search, if it contains map_own_pages(). Kernels before 5.14
/// refuse.
int map_if_own(dl_phdr_info* object, std::size_t, void*) {
#ifdef MADV_POPULATE_READ
  static const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::span parts(object->dlpi_phdr, object->dlpi_phnum);
  const auto own = reinterpret_cast<std::uintptr_t>(&map_own_pages);
  const auto begin_of = [&](const ElfW(Phdr) & part) { return object->dlpi_addr + part.p_vaddr; };
  const auto is_own = [&](const ElfW(Phdr) & part) {
    return part.p_type == PT_LOAD && own - begin_of(part) < part.p_memsz;
  };
  if (std::ranges::none_of(parts, is_own)) return 0;
  for (const ElfW(Phdr) & part : parts) {
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = begin_of(part) / page_bytes * page_bytes;
    madvise(reinterpret_cast<void*>(begin), begin_of(part) + part.p_filesz - begin,
            MADV_POPULATE_READ);
  }
#else
  static_cast<void>(object);
#endif
  return 1;
}

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

std::thread thread_without_signals(std::function<void()> body) {
  sigset_t all;
  sigfillset(&all);
  const ThreadMask held(all);
  return std::thread(std::move(body));
}

void map_own_pages() {
  dl_iterate_phdr(map_if_own, nullptr);
}

std::string kernel_id() {
  const std::string contents = try_to_read("/proc/sys/kernel/random/boot_id").text;
  return contents.substr(0, contents.find('\n'));
}

}  // namespace rondo
