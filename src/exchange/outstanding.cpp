#include "exchange/outstanding.hpp"

#include <mutex>
#include <utility>
#include <vector>

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
  Advancing() { t_is_advancing = true; }
  ~Advancing() { t_is_advancing = false; }
  Advancing(const Advancing&) = delete;
  Advancing& operator=(const Advancing&) = delete;
};

}  // namespace

/// All that is outstanding, in the order of starting.
class Outstanding {
 public:
  /// Never destroyed, because a static object's destructor may call MPI_Finalize.
  static Outstanding& all() {
    static Outstanding& all = *new Outstanding;
    return all;
  }

  void begin(const std::shared_ptr<Started>& started) {
    const Advancing advancing;
    const auto lock = lock_soon();
    list_.push_back(started);
    ++g_outstanding;
    advance(*started);
    remove_ended();
  }

  bool advance_all() {
    if (awaiting_ != 0 || t_is_advancing) return false;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    const Advancing advancing;
    bool has_happened = false;
    for (std::size_t i = 0; i < list_.size(); ++i) has_happened |= advance(*list_[i]);
    if (has_happened) remove_ended();
    return has_happened;
  }

  std::vector<std::shared_ptr<Started>> list() {
    const auto lock = lock_soon();
    return list_;
  }

  int give_up() {
    const auto lock = lock_soon();
    for (const auto& started : list_) started->is_given_up_ = true;
    const int count = static_cast<int>(list_.size());
    list_.clear();
    g_outstanding -= count;
    return count;
  }

 private:
  /// Returns whether something has happened.
  static bool advance(Started& started) {
    if (started.is_over()) return false;
    const bool has_happened = started.fiber_.resume();
    if (!started.fiber_.is_over()) return has_happened;
    started.is_over_.store(true, std::memory_order_release);
    if (started.when_over_) std::exchange(started.when_over_, nullptr)();
    return true;
  }

  /// A thread that takes the lock again and again would keep it from one that waits for it.
  std::unique_lock<std::mutex> lock_soon() {
    ++awaiting_;
    std::unique_lock lock(mutex_);
    --awaiting_;
    return lock;
  }

  void remove_ended() {
    const auto removed =
        std::erase_if(list_, [](const auto& started) { return started->is_over(); });
    g_outstanding -= static_cast<int>(removed);
  }

  std::mutex mutex_;  ///< no fiber waits while it is held
  std::atomic<int> awaiting_{0};
  std::vector<std::shared_ptr<Started>> list_;
};

std::shared_ptr<Started> Started::begin(std::function<void()> body,
                                        std::function<void()> when_over) {
  auto started = std::make_shared<Started>(Key{}, std::move(body), std::move(when_over));
  Outstanding::all().begin(started);
  if (!started->is_over()) wake_progress_thread();
  return started;
}

void Started::complete() {
  const Driver driver;
  while (!is_over() && !is_given_up()) {
    advance_outstanding();
    if (!is_over()) breathe();
  }
}

void Started::rethrow() const {
  if (fiber_.error()) std::rethrow_exception(fiber_.error());
}

bool advance_outstanding() {
  return Outstanding::all().advance_all();
}

void complete_all_outstanding() {
  if (Fiber::is_running()) return;
  for (const auto& started : Outstanding::all().list()) started->complete();
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
