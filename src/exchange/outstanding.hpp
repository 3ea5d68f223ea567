// The exchanges that this process has started and that are not over. Each runs in a fiber: the same
// engine as a call, which gives its thread back where the call would wait.
//
// Whatever waits in Rondo lets them go on. Otherwise a rank that waits for a started exchange would wait
// for ever for a rank that waits in a call. Where the wait is inside the MPI library, as in set-up, that
// cannot be done; they are completed first.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "base/fiber.hpp"

namespace rondo::exchange {

/// One exchange that has been started.
class Started {
  struct Key {};

 public:
  /// Begins: runs `body` until its first wait. When it is over, calls `when_over`, which must not wait
  /// or throw, in whichever thread it ended.
  static std::shared_ptr<Started> begin(std::function<void()> body,
                                        std::function<void()> when_over = nullptr);

  bool is_over() const { return is_over_.load(std::memory_order_acquire); }

  /// Lets all exchanges of this process go on until this one is over.
  void complete();

  /// Whether it was given up at the end of MPI.
  bool is_given_up() const { return is_given_up_.load(std::memory_order_acquire); }

  /// Throws what the body has thrown, if anything. It must be over.
  void rethrow() const;

  /// For begin() only.
  Started(Key, std::function<void()> body, std::function<void()> when_over)
      : fiber_(std::move(body)), when_over_(std::move(when_over)) {}

 private:
  friend class Outstanding;

  Fiber fiber_;
  std::function<void()> when_over_;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> is_given_up_{false};
};

/// How many exchanges are outstanding in this process.
inline std::atomic<int> g_outstanding{0};

/// Whether waits must let other exchanges go on. It holds in fibers, too. Where nothing is outstanding,
/// what the exchanges have written is visible, in whichever thread they ended.
inline bool has_outstanding() {
  return g_outstanding.load(std::memory_order_acquire) != 0;
}

/// Lets every outstanding exchange go on that can, unless a thread is doing so, this one included: the
/// MPI library may call it from within any of its functions. Returns whether something has happened.
bool advance_outstanding();

/// Ends the start of an exchange, if the caller runs in one: gives the thread back, though what comes next
/// may be there already. Without it a start would also copy what the neighbours have published.
inline void end_start() {
  if (has_outstanding() && Fiber::is_running()) Fiber::yield();
}

/// Completes what is outstanding. Does nothing in a fiber, which must not wait for others.
void complete_all_outstanding();

/// Whether a thread lets exchanges go on, whatever the other threads do.
inline std::atomic<bool> g_has_progress_thread{false};

/// Whether the MPI library lets exchanges go on wherever it waits; see progress_hook.hpp.
inline std::atomic<bool> g_has_progress_hook{false};

/// Completes what is outstanding before a wait inside the MPI library, unless a thread or the library
/// lets it go on.
inline void complete_outstanding() {
  if (has_outstanding() && !g_has_progress_thread && !g_has_progress_hook)
    complete_all_outstanding();
}

/// Completes what is outstanding at the end of MPI. After `patience` gives up what is left, and
/// returns how many.
int end_outstanding(std::chrono::milliseconds patience);

/// Waits a moment for other processes. If the ranks of this node have a core each, they keep it.
void breathe();
inline std::atomic<int> g_cores_per_rank{0};

/// While it lives, its thread lets all exchanges go on, so that no other thread needs to.
class Driver {
 public:
  Driver() { ++g_drivers; }
  ~Driver() { --g_drivers; }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  static bool is_there() { return g_drivers != 0; }

 private:
  static inline std::atomic<int> g_drivers{0};
};

/// Waits until is_done() returns true, while other exchanges go on; call it if has_outstanding().
/// is_done() must not throw.
template <class Done>
void wait_beside(Done&& is_done) {
  if (Fiber::is_running()) return Fiber::wait_until(is_done);
  const Driver driver;
  while (!is_done()) {
    advance_outstanding();
    breathe();
  }
}

}  // namespace rondo::exchange
