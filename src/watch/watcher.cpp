#include "watch/watcher.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/system.hpp"
#include "watch/look.hpp"
#include "watch/scene.hpp"

namespace rondo::watch {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::int64_t in_milliseconds(Clock::duration time) {
  return std::chrono::duration_cast<milliseconds>(time).count();
}

/// Another block on the same exchange, printed less than this ago, says the same.
constexpr milliseconds kFresh{2000};

/// What is longer between two looks does not count: the process was stopped, with all of its job perhaps.
constexpr int kMostTicks = 4;

/// Until other nodes have printed their blocks.
constexpr std::chrono::seconds kBeforeAbort{2};

sem_t g_asked;
void (*g_handler_of_library)(int) = nullptr;

/// A signal handler may post a semaphore.
void ask(int signal) {
  const int error = errno;
  sem_post(&g_asked);
  errno = error;
  if (g_handler_of_library != nullptr) g_handler_of_library(signal);
}

/// Whether a handler is not the program's, but one of the MPI library, in which `function` is, as MPICH has one, or of
/// another Rondo, if the program calls Rondo itself and has been given it, too.
bool is_of_library(void (*handler)(int), const void* function) {
  Dl_info own{};
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(handler), &own) == 0) return false;
  return (dladdr(function, &library) != 0 && own.dli_fbase == library.dli_fbase) ||
         std::strstr(own.dli_fname, "/librondo") != nullptr;
}

void install_handler(const void* library) {
  struct sigaction before {};
  if (sigaction(SIGUSR1, nullptr, &before) != 0 || before.sa_handler == ask) return;
  if (before.sa_handler != SIG_DFL) {
    if ((before.sa_flags & SA_SIGINFO) != 0 || !is_of_library(before.sa_handler, library)) return;
    g_handler_of_library = before.sa_handler;
  }
  struct sigaction own {};
  own.sa_handler = ask;
  own.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &own, nullptr);
}

/// In one call, so that the lines of several ranks do not mix.
void print(const std::string& block) {
  const HeldSignals held;
  for (std::size_t done = 0; done < block.size();) {
    const ssize_t written = write(STDERR_FILENO, block.data() + done, block.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

/// A subject, and how far its exchange has come.
struct Watched {
  Subject subject;
  std::uint64_t communicator = 0;
  std::uint64_t number = 0;  ///< of the exchange in which it was seen last; 0: in none
  Clock::duration since{};   ///< by the watcher's own time
  bool is_asked = false;
  bool waits_for_others = false;  ///< another rank of this node may tell
};

/// What a process has to say, and whether it ends the job then.
struct Told {
  std::string text;
  bool aborts = false;
};

class Watcher {
 public:
  /// Never destroyed, since its thread runs until the process ends.
  static Watcher& of_process() {
    static Watcher& watcher = *new Watcher;
    return watcher;
  }

  void begin(const Orders& orders) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(process_, getpid()) == getpid()) return;
    orders_ = orders;
    sem_init(&g_asked, 0, 0);
    try {
      thread_without_signals([this] { run(); }).detach();
      install_handler(orders.library);
    } catch (const std::system_error& error) {
      std::fprintf(stderr, "rondo: cannot make the thread of RONDO_WATCH: %s\n", error.what());
    }
  }

  void add(Subject subject) {
    const std::lock_guard lock(mutex_);
    watched_[subject.line].subject = std::move(subject);
  }

  void remove(const Line& line) {
    const std::lock_guard lock(mutex_);
    watched_.erase(&line);
  }

 private:
  /// A tenth of the patience, but no more than a rank may be late with its block.
  milliseconds tick() const {
    return std::clamp(orders_.patience / 10, milliseconds(20), milliseconds(250));
  }

  void run() {
    pthread_setname_np(pthread_self(), "rondo-watch");
    for (auto last = Clock::now();;) {
      const bool is_asked = sleep();
      const auto now = Clock::now();
      time_ += std::min<Clock::duration>(now - std::exchange(last, now), kMostTicks * tick());
      const Told told = look_after_all(is_asked);
      print(told.text);
      if (!told.aborts) continue;
      std::this_thread::sleep_for(kBeforeAbort);
      orders_.abort();
    }
  }

  /// What is said is printed when nobody can wait for the lock, since standard error may take long.
  Told look_after_all(bool is_asked) {
    const std::lock_guard lock(mutex_);
    Told told;
    for (auto& [line, one] : watched_) failure_of([&] { step(one, is_asked, told); });
    const auto is_busy = [](const auto& one) { return one.second.subject.line->is_busy(); };
    if (is_asked && std::ranges::none_of(watched_, is_busy))
      told.text += text(kPrefix, "process ", getpid(), " is in no exchange\n");
    return told;
  }

  /// Returns whether somebody has asked meanwhile.
  bool sleep() const {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    const std::int64_t end =
        until.tv_nsec + std::chrono::duration_cast<std::chrono::nanoseconds>(tick()).count();
    constexpr std::int64_t kSecond = 1'000'000'000;
    until.tv_sec += end / kSecond;
    until.tv_nsec = end % kSecond;
    return sem_timedwait(&g_asked, &until) == 0;
  }

  void step(Watched& one, bool is_asked, Told& told) {
    Line& line = *one.subject.line;
    const std::uint64_t number = line.begun;
    if (line.ended == number) {
      one.number = 0;
      return;
    }
    const std::uint64_t communicator = line.communicator;
    if (one.number != number || one.communicator != communicator) {
      one.number = number;
      one.communicator = communicator;
      one.since = time_;
      one.is_asked = one.waits_for_others = false;
    }
    one.is_asked = one.is_asked || is_asked;
    line.is_in_library = one.subject.algorithm().is_in_library;
    const bool is_due = line.told != number && time_ - one.since >= orders_.patience;
    if (is_due || one.is_asked) tell(one, is_due, told);
  }

  /// One rank of a node tells.
  void tell(Watched& one, bool is_due, Told& told) {
    Line& line = *one.subject.line;
    const std::int64_t clock = in_milliseconds(Clock::now().time_since_epoch());
    Look found = look(one.subject, one.number, orders_.forms);
    const bool is_told = (is_due && found.is_told) || clock - found.told_at < kFresh.count();
    if (!is_told && found.lets_others_tell && !std::exchange(one.waits_for_others, true)) return;
    one.is_asked = one.waits_for_others = false;
    if (is_due) line.told = one.number;
    if (is_told) return;
    line.told_of = one.number;
    line.told_at = clock;
    found.scene.milliseconds = in_milliseconds(time_ - one.since);
    told.text += text_of(found.scene);
    told.aborts = told.aborts || (is_due && orders_.abort);
  }

  std::mutex mutex_;
  pid_t process_ = 0;  ///< in which the thread runs; a fork has none
  Orders orders_;
  Clock::duration time_{};  ///< how long this process has run
  std::map<const Line*, Watched> watched_;
};

}  // namespace

void begin(const Orders& orders) {
  Watcher::of_process().begin(orders);
}

void add(Subject subject) {
  Watcher::of_process().add(std::move(subject));
}

void remove(const Line& line) {
  Watcher::of_process().remove(line);
}

}  // namespace rondo::watch
