// What a rank does while it waits for another rank of its node.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

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
/// every look, since the rank they wait for may need it. Ranks of MPI never sleep in the kernel: waking
/// sleepers one after another measured twice as slow.
class Waiter {
 public:
  Waiter(int ranks, int cores, Patience& patience = Patience::of_process())
      : shares_cores_(ranks > cores), patience_(&patience) {}

  /// One that sleeps when it has waited for long. Launchers such as torchrun give each rank a session of its own, and
  /// by default Linux shares the cores between sessions (autogroup). Then a yield hardly helps the threads of other
  /// ranks, such as those of gloo. Where gloo and Rondo exchanged tensors in turn with 3 ranks on 2 cores, it took 2 to
  /// 5 times as long without sleeping, and 4 to 5 times with 5 ranks. Exchanges of Rondo alone took as long either way.
  static Waiter that_sleeps(int ranks, int cores) {
    static Patience patience(Patience::kAlone, Patience::kAlone);
    Waiter waiter(ranks, cores, patience);
    waiter.sleeps_ = true;
    return waiter;
  }

  /// A new wait begins.
  void begin() { since_ = {}; }

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
  using Clock = std::chrono::steady_clock;

  /// Progress finds MPI's code cold in the caches and costs as much as several context switches.
  /// Measured with 32 ranks on 2 cores: with progress after every yield 1.94 times as fast as the
  /// MPI library, after every 4th 2.21, after every 16th 2.26, never 2.49.
  static constexpr unsigned kYieldsPerProgress = 16;

  /// Where others run on this rank's core now and then, they may do so for long.
  static constexpr Patience::Duration kAwayPerProgress{50'000};

  /// Where all yields slept after 0.2 milliseconds, also those of the MPI library, exchanges of 8 ranks of MPI on 2
  /// cores took up to 13 times as long.
  static constexpr Patience::Duration kLong{1'000'000};

  /// A sleep is an eighth of the wait so far, so that what comes meanwhile is late by little of it.
  static constexpr Patience::Duration kLongestSleep{1'000'000};

  bool is_progress_due() {
    if (shares_cores_) return ++yields_ % kYieldsPerProgress == 0;
    const bool is_due = patience_->looks() >= Patience::kAlone || away_ >= kAwayPerProgress;
    if (is_due) away_ = {};
    return is_due;
  }

  void yield() {
    looks_ = 0;
    if (shares_cores_ && !sleeps_) {
      sched_yield();
      return;
    }
    const auto begin = Clock::now();
    if (sleeps_ && has_slept(begin)) return;
    sched_yield();
    const auto took = Clock::now() - begin;
    away_ += took;
    patience_->learn(took);
  }

  /// Sleeps if the wait has been long. Progress is due afterwards.
  bool has_slept(Clock::time_point now) {
    if (since_ == Clock::time_point{}) since_ = now;
    const auto waited = now - since_;
    if (waited < kLong) return false;
    std::this_thread::sleep_for(std::min<Clock::duration>(waited / 8, kLongestSleep));
    yields_ = kYieldsPerProgress - 1;
    away_ = kAwayPerProgress;
    return true;
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
  bool sleeps_ = false;
  Clock::time_point since_{};  ///< this rank waits, if it sleeps
  Patience* patience_;
  unsigned looks_ = 0;
  unsigned yields_ = 0;
  Patience::Duration away_{};  ///< in yields, since progress was due
};

}  // namespace rondo::segment
