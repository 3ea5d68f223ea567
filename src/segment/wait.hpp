// What a rank does while it waits for another rank of its node.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace rondo::segment {

/// How many times a rank looks before it yields its core, by how long its yields took. Ranks may share a core although
/// the node has enough, where nothing binds them.
class Patience {
 public:
  using Duration = std::chrono::nanoseconds;

  /// While this rank is alone on its core. They take some 80 microseconds.
  static constexpr unsigned kAlone = 2000;

  /// At first a rank looks `first` times, and after a long yield `most` times.
  explicit Patience(unsigned first = kAlone, unsigned most = kMost) : most_(most), looks_(first) {}

  unsigned looks() const { return looks_.load(std::memory_order_relaxed); }

  /// That of this process, whose ranks are on the same cores on all communicators.
  static Patience& of_process() {
    static Patience patience;
    return patience;
  }

  /// Takes what a yield took. If nobody else ran, there is nobody to yield to. If another ran briefly, it is probably
  /// the rank that this one waits for, which then waited itself. If another ran for long, it does not wait for this
  /// rank, and would take the core for as long again. Then the rank that this one waits for, on another core, would
  /// wait in its turn and yield. So from then on this one looks until the kernel takes its core away, as MPI libraries
  /// do.
  void learn(Duration yield) {
    const unsigned looks = yield < kSwitches      ? std::min(2 * this->looks(), kAlone)
                           : yield < kComputation ? kSwitch
                                                  : most_;
    looks_.store(looks, std::memory_order_relaxed);
  }

 private:
  /// They take as long as a switch to another process and back, so a rank loses at most half of its time by looking
  /// where it would better yield at once, and by yielding where the other rank would have come.
  static constexpr unsigned kSwitch = 64;

  /// They take some 10 milliseconds. By default Linux takes a core away after 3 or 4 if another process wants it.
  static constexpr unsigned kMost = 256'000;

  /// The kernel takes less to find that nobody else can run, and more to switch there and back: twice 2.2 to 2.8
  /// microseconds on the one machine where it was measured.
  static constexpr Duration kSwitches{1500};

  /// Waiting ranks give the core back in microseconds, and programs that compute keep it for milliseconds. What lies
  /// between was not measured.
  static constexpr Duration kComputation{200'000};

  unsigned most_;
  std::atomic<unsigned> looks_;
};

/// Ranks with a core each look again at once, many times. Ranks that share cores yield theirs after
/// every look, since the rank they wait for may need it. Nothing sleeps in the kernel: waking
/// sleepers one after another measured twice as slow.
class Waiter {
 public:
  Waiter(int ranks, int cores, Patience& patience = Patience::of_process())
      : shares_cores_(ranks > cores), patience_(&patience) {}

  /// Waits a moment. Now and then, or every time if `is_urgent`, calls progress(), which must let
  /// MPI make progress: the rank that this rank waits for may itself wait for a message from here.
  template <class Progress>
  void pause(bool is_urgent, Progress&& progress) {
    const bool yields = shares_cores_ || ++looks_ >= patience_->looks();
    const bool may_progress = yields || looks_ % Patience::kAlone == 0;
    if (is_urgent || (may_progress && is_progress_due())) progress();
    if (yields)
      yield();
    else
      relax();
  }

 private:
  /// Progress finds MPI's code cold in the caches and costs as much as several context switches.
  /// Measured with 32 ranks on 2 cores: with progress after every yield 1.94 times as fast as the
  /// MPI library, after every 4th 2.21, after every 16th 2.26, never 2.49.
  static constexpr unsigned kYieldsPerProgress = 16;

  /// Where others run on this rank's core now and then, they may do so for long.
  static constexpr Patience::Duration kAwayPerProgress{50'000};

  bool is_progress_due() {
    if (shares_cores_) return ++yields_ % kYieldsPerProgress == 0;
    const bool is_due = patience_->looks() >= Patience::kAlone || away_ >= kAwayPerProgress;
    if (is_due) away_ = {};
    return is_due;
  }

  void yield() {
    looks_ = 0;
    if (shares_cores_) {
      sched_yield();
      return;
    }
    const auto begin = std::chrono::steady_clock::now();
    sched_yield();
    const auto took = std::chrono::steady_clock::now() - begin;
    away_ += took;
    patience_->learn(took);
  }

  /// Only passes time: the loads that look acquire, and that is enough. On Arm `yield` may take
  /// no time on a core that runs one thread; `isb` empties the pipeline. Neither was measured here.
  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }

  bool shares_cores_;
  Patience* patience_;
  unsigned looks_ = 0;
  unsigned yields_ = 0;
  Patience::Duration away_{};  ///< in yields, since progress was due
};

}  // namespace rondo::segment
