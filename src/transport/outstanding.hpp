// The exchanges that this process has started and that are not over. Each runs in a fiber: the same
// engine as a call, which gives its thread back where the call would wait.
//
// The rules that make them sound:
// - A start never waits. An exchange that must wait for another has no fiber yet; it begins where that
//   one ends.
// - Whatever waits in Rondo lets them go on. Otherwise a rank that waits for a nonblocking exchange would wait
//   for ever for a rank that waits in a call. Hence the ranks agree by messages, and Rondo calls a function
//   of the MPI library that waits for other ranks only after before_library_call() (mpi/progress.hpp), or when
//   it knows that they are all about to call it.
// - What may run code of the program (the library's progress, freeing a datatype, when_over) happens on the
//   stack of the thread, and nothing that another thread waits for is held meanwhile.
//
// No MPI.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "base/fiber.hpp"

namespace rondo::transport {

/// One exchange that has been started.
class Started {
  struct Key {};

 public:
  using Function = std::function<void()>;

  /// Gets what the body has thrown, or why it could not begin; null if all went well.
  using WhenOver = std::function<void(const std::exception_ptr& error)>;

  /// Starts an exchange that runs `body` in a fiber, and makes it the `last` of its channel. If the one before is
  /// null or has ended, runs it until its first wait. Otherwise it begins when that one has ended, and holds no
  /// stack until then. When it has ended, frees `body`, is over, and calls `when_over`, which must not wait or throw.
  /// That may be in any thread.
  static std::shared_ptr<Started> start(std::shared_ptr<Started>& last, Function body,
                                        WhenOver when_over = nullptr);

  /// waiting --> running --> ended --> over. At the end of MPI, one that has not ended becomes given_up.
  enum class Stage {
    waiting,  ///< for the one before it in its channel
    running,
    ended,  ///< its body has run, or could not begin; what it holds may not have been freed yet
    over,
    given_up,
  };
  Stage stage() const { return stage_.load(std::memory_order_acquire); }
  bool has_ended() const { return stage() == Stage::ended || is_over(); }
  bool is_over() const { return stage() == Stage::over; }

  /// Whether nothing more will happen to it.
  bool is_settled() const { return stage() >= Stage::over; }

  /// Lets all exchanges of this process go on until this one is settled.
  void complete();

  /// Throws what the body has thrown, if anything. `body` must have been freed.
  void rethrow() const;

  /// For start() only.
  Started(Key, Function body, WhenOver when_over)
      : body_(std::move(body)), when_over_(std::move(when_over)) {}
  ~Started();
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

 private:
  friend class Outstanding;

  void begin();
  /// Whether the body has run to its end, or cannot begin.
  bool has_run() const { return !fiber_ || fiber_->is_over(); }
  /// On the stack of a thread, when it has run.
  void finish();

  Function body_;               ///< until it begins
  std::optional<Fiber> fiber_;  ///< from then on until it is over
  WhenOver when_over_;
  std::exception_ptr error_;
  std::shared_ptr<Started> next_;   ///< begins when this one has ended
  std::shared_ptr<Started> after_;  ///< in a list
  std::atomic<Stage> stage_{Stage::waiting};
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

/// Completes what is outstanding.
void complete_all_outstanding();

/// Gives up what is left, and returns how many exchanges that were.
int give_up_outstanding();

/// Waits a moment for other processes. If the ranks of this node have a core each, they keep it.
void yield_core();
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
    yield_core();
  }
}

}  // namespace rondo::transport
