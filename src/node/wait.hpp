// What a rank does while it waits for another rank of its node.
#pragma once

#include <sched.h>

namespace rondo::node {

/// Ranks with a core each look again at once, many times. Ranks that share cores yield theirs after
/// every look, since the rank they wait for may need it. Nothing sleeps in the kernel: waking
/// sleepers one after another measured twice as slow.
class Waiter {
 public:
  Waiter(int ranks, int cores)
      : looks_before_yield_(ranks <= cores ? kPatientLooks : 1),
        yields_before_progress_(ranks <= cores ? 1 : kSharedYields) {}

  /// Waits a moment. Now and then, or every time if `is_urgent`, calls progress(), which must let
  /// MPI make progress: the rank that this rank waits for may itself wait for a message from here.
  template <class Progress>
  void pause(bool is_urgent, Progress&& progress) {
    const bool yields = ++looks_ % looks_before_yield_ == 0;
    const bool is_due = yields && ++yields_ % yields_before_progress_ == 0;
    if (is_due || is_urgent) progress();
    if (yields)
      sched_yield();
    else
      relax();
  }

 private:
  static constexpr unsigned kPatientLooks = 2000;
  /// Progress finds MPI's code cold in the caches and costs as much as several context switches.
  /// Measured with 32 ranks on 2 cores: with progress after every yield 1.94 times as fast as the
  /// MPI library, after every 4th 2.21, after every 16th 2.26, never 2.49.
  static constexpr unsigned kSharedYields = 16;

  /// Only passes time: the loads that look acquire, and that is enough. On Arm `yield` may take
  /// no time on a core that runs one thread; `isb` empties the pipeline. Neither was measured here.
  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }

  unsigned looks_before_yield_;
  unsigned yields_before_progress_;
  unsigned looks_ = 0;
  unsigned yields_ = 0;
};

}  // namespace rondo::node
