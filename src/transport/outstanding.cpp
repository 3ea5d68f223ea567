#include "transport/outstanding.hpp"

#include <mutex>
#include <utility>

#include "segment/wait.hpp"
#include "transport/progress_thread.hpp"

namespace rondo::transport {

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

/// All exchanges that have begun, each with those that wait for it.
class Outstanding {
 public:
  /// Never destroyed, because a static object's destructor may call MPI_Finalize.
  static Outstanding& all() {
    static Outstanding& all = *new Outstanding;
    return all;
  }

  void start(const Pointer& before, const Pointer& started) {
    ++g_outstanding;
    if (waits_for(before, started)) return;
    Pointer begun = started;
    {
      const Advancing advancing;
      begun->begin();
      settle(begun);
    }
    if (begun) add(std::move(begun));
    finish_ended();
  }

  bool advance_all() {
    if (t_is_advancing) return false;
    bool has_happened = false;
    if (!is_advancing_.test_and_set(std::memory_order_acquire)) {
      has_happened = resume_all();
      is_advancing_.clear(std::memory_order_release);
    }
    finish_ended();
    return has_happened;
  }

  int give_up() {
    while (is_advancing_.test_and_set(std::memory_order_acquire)) yield_core();
    take_new();
    Pointer given_up = std::move(begun_);
    is_advancing_.clear(std::memory_order_release);
    int count = 0;
    for (Started* begun = given_up.get(); begun != nullptr; begun = begun->after_.get())
      for (Started* one = begun; one != nullptr; one = one->next_.get(), ++count)
        one->stage_ = Started::Stage::given_up;
    g_outstanding -= count;
    while (given_up) pop(given_up);
    return count;
  }

 private:
  /// Whether `started` begins later, when `before` has ended.
  bool waits_for(const Pointer& before, const Pointer& started) {
    if (!before || before->is_settled()) return false;
    const std::lock_guard lock(mutex_);
    if (before->has_ended()) return false;
    before->next_ = started;
    return true;
  }

  bool resume_all() {
    const Advancing advancing;
    if (has_new_.load(std::memory_order_acquire)) take_new();
    bool has_happened = false;
    for (Pointer* at = &begun_; *at;) {
      has_happened |= (*at)->fiber_->resume();
      if ((*at)->has_run()) {
        Pointer one = pop(*at);
        settle(one);
        if (!one) continue;
        push(*at, std::move(one));
      }
      at = &(*at)->after_;
    }
    return has_happened;
  }

  /// If an exchange has ended, begins those that wait for it, as long as each ends without a wait. The last
  /// takes its place.
  void settle(Pointer& one) {
    while (one && one->has_run()) {
      Pointer next;
      {
        const std::lock_guard lock(mutex_);
        one->stage_ = Started::Stage::ended;
        next = std::move(one->next_);
        append_ended(std::move(one));
        has_ended_.store(true, std::memory_order_release);
      }
      one = std::move(next);
      if (one) one->begin();
    }
  }

  /// Frees what the bodies hold, which may be done by code of the program: it may wait for others that have
  /// ended, too, or for those that have begun instead.
  void finish_ended() {
    while (has_ended_.load(std::memory_order_acquire)) {
      Pointer one;
      {
        const std::lock_guard lock(mutex_);
        one = pop(ended_);
        if (!ended_) has_ended_.store(false, std::memory_order_relaxed);
      }
      if (!one) return;
      one->finish();
      --g_outstanding;
    }
  }

  /// Lets one that has begun go on.
  void add(Pointer begun) {
    if (!is_advancing_.test_and_set(std::memory_order_acquire)) {
      push(begun_, std::move(begun));
      is_advancing_.clear(std::memory_order_release);
      return;
    }
    const std::lock_guard lock(mutex_);
    push(new_, std::move(begun));
    has_new_.store(true, std::memory_order_release);
  }

  void take_new() {
    const std::lock_guard lock(mutex_);
    while (new_) push(begun_, pop(new_));
    has_new_.store(false, std::memory_order_relaxed);
  }

  /// Those of a channel are over in their order.
  void append_ended(Pointer one) {
    Started* const last = one.get();
    (ended_ ? last_ended_->after_ : ended_) = std::move(one);
    last_ended_ = last;
  }

  // Lists need no memory that there might not be.
  static void push(Pointer& list, Pointer one) {
    one->after_ = std::move(list);
    list = std::move(one);
  }
  static Pointer pop(Pointer& list) {
    Pointer first = std::move(list);
    if (first) list = std::move(first->after_);
    return first;
  }

  /// Whoever has set it owns begun_. Only MPI_Finalize waits for it.
  std::atomic_flag is_advancing_;
  Pointer begun_;

  /// Of what follows, and of next_ of all, and of how they end. Nothing is called while it is held.
  std::mutex mutex_;
  Pointer new_;
  Pointer ended_;
  Started* last_ended_ = nullptr;  ///< of these, if there are any
  std::atomic<bool> has_new_{false};
  std::atomic<bool> has_ended_{false};
};

std::shared_ptr<Started> Started::start(Pointer& last, Function body, WhenOver when_over) {
  auto started = std::make_shared<Started>(Key{}, std::move(body), std::move(when_over));
  const Pointer before = std::exchange(last, started);
  Outstanding::all().start(before, started);
  if (!started->is_over()) wake_progress_thread();
  return started;
}

/// Many may wait one for another, so they are not freed one within another.
Started::~Started() {
  Pointer next = std::move(next_);
  while (next && next.use_count() == 1) next = std::exchange(next->next_, nullptr);
}

void Started::begin() {
  stage_ = Stage::running;
  try {
    fiber_.emplace(std::move(body_));
    fiber_->resume();
  } catch (...) {
    error_ = std::current_exception();
  }
}

void Started::finish() {
  if (fiber_) error_ = fiber_->error();
  fiber_.reset();
  body_ = nullptr;
  stage_.store(Stage::over, std::memory_order_release);
  if (when_over_) std::exchange(when_over_, nullptr)(error_);
}

void Started::complete() {
  const Driver driver;
  while (!is_settled()) {
    advance_outstanding();
    if (!is_settled()) yield_core();
  }
}

void Started::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

bool advance_outstanding() {
  return Outstanding::all().advance_all();
}

void complete_all_outstanding() {
  const Driver driver;
  while (has_outstanding()) {
    advance_outstanding();
    yield_core();
  }
}

int give_up_outstanding() {
  return Outstanding::all().give_up();
}

void yield_core() {
  // A look here runs code of the MPI library and takes longer. The thread that this one waits for may be on the same core, also
  // behind another program.
  static thread_local segment::Patience patience(1, segment::Patience::kAlone);
  static thread_local segment::Waiter alone(1, 1, patience);
  static thread_local segment::Waiter crowded(2, 1, patience);
  (g_cores_per_rank.load(std::memory_order_relaxed) > 0 ? alone : crowded).pause(false, [] {});
}

}  // namespace rondo::transport
