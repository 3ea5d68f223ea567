#include "transport/progress_thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/system.hpp"
#include "transport/outstanding.hpp"

namespace rondo::transport {

namespace {

/// The pauses of a thread that shares its core with the program, which computes meanwhile: short after
/// something has happened, longer and longer while nothing does. A thread that only yielded its core
/// would still get about half of it.
class Pauses {
 public:
  void pause(bool has_core, bool has_happened) {
    if (has_happened) length_ = kShortest;
    if (has_core) return yield_core();
    std::this_thread::sleep_for(length_);
    length_ = std::min(2 * length_, kLongest);
  }

 private:
  static constexpr std::chrono::microseconds kShortest{20};
  static constexpr std::chrono::microseconds kLongest{1000};
  std::chrono::microseconds length_ = kShortest;
};

/// Whether this process may run on several cores.
bool has_several_cores() {
  cpu_set_t own;
  return sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) > 1;
}

class ProgressThread {
 public:
  /// Never destroyed, because a static object's destructor may call MPI_Finalize.
  static ProgressThread& of_process() {
    static ProgressThread& thread = *new ProgressThread;
    return thread;
  }

  void begin() {
    if (has_begun_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (has_begun_) return;
    try {
      thread_ = thread_without_signals([this] { run(); });
      g_has_progress_thread = true;
    } catch (const std::system_error& error) {
      std::fprintf(
          stderr,
          "rondo: cannot make the thread that lets nonblocking exchanges go on, so they go on in "
          "calls of Rondo only: %s\n",
          error.what());
    }
    has_begun_.store(true, std::memory_order_release);
  }

  /// The thread looks whether anything is outstanding after it has said that it sleeps, and the caller looks whether it
  /// sleeps after it has counted what is outstanding. At least one sees the other, since all four are sequentially
  /// consistent. If they only acquired and released, each load could overtake the store before it.
  void wake() {
    if (!is_sleeping_) return;
    const std::lock_guard lock(mutex_);
    wakes_.notify_one();
  }

  bool end(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) return true;
    g_has_progress_thread = false;
    is_ending_ = true;
    wakes_.notify_one();
    const bool has_left = left_.wait_for(lock, patience, [&] { return has_left_; });
    lock.unlock();
    has_left ? thread_.join() : thread_.detach();
    return has_left;
  }

 private:
  void run() {
    pthread_setname_np(pthread_self(), "rondo-progress");
    const bool may_have_core = has_several_cores();
    Pauses pauses;
    while (!is_ending_) {
      const bool has_slept = sleep();
      // A thread that waits lets all exchanges go on itself.
      const bool has_happened = !Driver::is_there() && advance_outstanding();
      pauses.pause(may_have_core && g_cores_per_rank.load(std::memory_order_relaxed) > 1,
                   has_slept || has_happened);
    }
    const std::lock_guard lock(mutex_);
    has_left_ = true;
    left_.notify_one();
  }

  /// Sleeps as long as nothing is outstanding. Returns whether it did.
  bool sleep() {
    if (has_outstanding()) return false;
    std::unique_lock lock(mutex_);
    is_sleeping_ = true;
    wakes_.wait(lock, [&] { return g_outstanding != 0 || is_ending_; });
    is_sleeping_ = false;
    return true;
  }

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::condition_variable left_;
  std::thread thread_;
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> is_sleeping_{false};
  std::atomic<bool> is_ending_{false};
  bool has_left_ = false;
};

}  // namespace

void begin_progress_thread() {
  ProgressThread::of_process().begin();
}

void wake_progress_thread() {
  ProgressThread::of_process().wake();
}

bool end_progress_thread(std::chrono::milliseconds patience) {
  return ProgressThread::of_process().end(patience);
}

}  // namespace rondo::transport
