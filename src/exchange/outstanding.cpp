#include "exchange/outstanding.hpp"

#include <mpi.h>

#include <mutex>
#include <utility>
#include <vector>

#include "exchange/mpi_error.hpp"
#include "exchange/progress_hook.hpp"
#include "exchange/progress_thread.hpp"
#include "node/wait.hpp"

namespace rondo::exchange {

namespace {

/// Whether this thread lets exchanges go on, or begins one. What they call in the MPI library may call
/// advance_outstanding() again.
thread_local bool t_is_advancing = false;

/// While it lives, its thread does not let exchanges go on again.
class Advancing {
 public:
  Advancing() : before_(std::exchange(t_is_advancing, true)) {}
  ~Advancing() { t_is_advancing = before_; }
  Advancing(const Advancing&) = delete;
  Advancing& operator=(const Advancing&) = delete;

 private:
  bool before_;
};

using Pointer = std::shared_ptr<Started>;

}  // namespace

/// All exchanges that have begun, in the order of beginning, each with those that wait for it.
class Outstanding {
 public:
  /// Never destroyed, because a static object's destructor may call MPI_Finalize.
  static Outstanding& all() {
    static Outstanding& all = *new Outstanding;
    return all;
  }

  void start(const Pointer& before, const Pointer& started) {
    ++g_outstanding;
    if (!waits_for(before, started)) begin(started);
  }

  bool advance_all() {
    if (t_is_advancing || is_advancing_.test_and_set(std::memory_order_acquire)) return false;
    std::vector<Pointer> ended;
    const bool has_happened = resume_all(ended);
    is_advancing_.clear(std::memory_order_release);
    for (const Pointer& one : ended) begin(end(*one));
    return has_happened;
  }

  int give_up() {
    while (is_advancing_.test_and_set(std::memory_order_acquire)) breathe();
    take_new();
    int count = 0;
    for (const Pointer& begun : begun_)
      for (Started* one = begun.get(); one != nullptr; one = one->next_.get(), ++count)
        one->is_given_up_ = true;
    begun_.clear();
    is_advancing_.clear(std::memory_order_release);
    g_outstanding -= count;
    return count;
  }

 private:
  /// Whether `started` begins later, when `before` is over.
  bool waits_for(const Pointer& before, const Pointer& started) {
    if (!before) return false;
    const std::lock_guard lock(mutex_);
    if (before->is_over()) return false;
    before->next_ = started;
    return true;
  }

  /// Begins an exchange and, as long as each ends without a wait, those that wait for it.
  void begin(Pointer one) {
    while (one && has_ended_at_once(one)) one = end(*one);
  }

  bool has_ended_at_once(const Pointer& one) {
    const Advancing advancing;
    try {
      one->fiber_.emplace(std::move(one->body_));
    } catch (...) {
      one->error_ = std::current_exception();
      return true;
    }
    one->fiber_->resume();
    if (one->fiber_->is_over()) return true;
    const std::lock_guard lock(mutex_);
    new_.push_back(one);
    has_new_.store(true, std::memory_order_release);
    return false;
  }

  /// No lock is held: what the body holds may be freed by code of the program. Returns what waits for it.
  Pointer end(Started& ended) {
    if (ended.fiber_) ended.error_ = ended.fiber_->error();
    ended.fiber_.reset();
    if (ended.when_over_) std::exchange(ended.when_over_, nullptr)();
    Pointer next;
    {
      const std::lock_guard lock(mutex_);
      next = std::move(ended.next_);
      ended.is_over_.store(true, std::memory_order_release);
    }
    --g_outstanding;
    return next;
  }

  bool resume_all(std::vector<Pointer>& ended) {
    const Advancing advancing;
    if (has_new_.load(std::memory_order_acquire)) take_new();
    bool has_happened = false;
    for (const Pointer& one : begun_) has_happened |= one->fiber_->resume();
    if (has_happened)
      std::erase_if(begun_, [&](const Pointer& one) {
        if (one->fiber_->is_over()) ended.push_back(one);
        return one->fiber_->is_over();
      });
    return has_happened;
  }

  void take_new() {
    const std::lock_guard lock(mutex_);
    begun_.insert(begun_.end(), new_.begin(), new_.end());
    new_.clear();
    has_new_.store(false, std::memory_order_relaxed);
  }

  std::atomic_flag
      is_advancing_;  ///< whoever has set it owns begun_; nobody in a program waits for it
  std::vector<Pointer> begun_;
  std::mutex mutex_;  ///< of new_ and of next_; nothing is called while it is held
  std::vector<Pointer> new_;
  std::atomic<bool> has_new_{false};
};

std::shared_ptr<Started> Started::start(const Pointer& before, Function body, Function when_over) {
  auto started = std::make_shared<Started>(Key{}, std::move(body), std::move(when_over));
  Outstanding::all().start(before, started);
  if (!started->is_over()) wake_progress_thread();
  return started;
}

/// Many may wait one for another, so they are not freed one within another.
Started::~Started() {
  Pointer next = std::move(next_);
  while (next && next.use_count() == 1) next = std::exchange(next->next_, nullptr);
}

void Started::complete() {
  const Driver driver;
  while (!is_over() && !is_given_up()) {
    advance_outstanding();
    if (!is_over()) breathe();
  }
}

void Started::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

bool advance_outstanding() {
  return Outstanding::all().advance_all();
}

void begin_progress(bool wants_thread) {
  if (has_progress_hook()) begin_progress_hook();
  static const bool has_threads = [] {
    int level = MPI_THREAD_SINGLE;
    check(PMPI_Query_thread(&level), "MPI_Query_thread");
    return level == MPI_THREAD_MULTIPLE;
  }();
  if (wants_thread || (has_threads && !has_progress_hook())) begin_progress_thread();
}

void complete_all_outstanding() {
  const Driver driver;
  while (has_outstanding()) {
    advance_outstanding();
    breathe();
  }
}

int end_outstanding(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  end_progress_thread(patience);
  end_progress_hook();
  while (has_outstanding() && std::chrono::steady_clock::now() < end) {
    advance_outstanding();
    breathe();
  }
  return Outstanding::all().give_up();
}

void breathe() {
  static thread_local node::Waiter alone(1, 1);
  static thread_local node::Waiter crowded(2, 1);
  (g_cores_per_rank.load(std::memory_order_relaxed) > 0 ? alone : crowded).pause(false, [] {});
}

}  // namespace rondo::exchange
