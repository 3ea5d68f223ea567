// What a rank does while it waits for another rank of its node.
#pragma once

#include <sched.h>

namespace rondo::node {

/// Ranks that have a core each look again at once for a while; ranks that share cores give theirs
/// away at every look, since whom they wait for may be waiting for it. Nothing sleeps in the
/// kernel: waking sleepers one after another measured twice as slow.
class Waiter {
 public:
  Waiter(int ranks, int cores)
      : looks_before_yield_(ranks <= cores ? kPatientLooks : 1),
        yields_before_progress_(ranks <= cores ? 1 : kSharedYields) {}

  /// Wait a moment. Calls progress() now and then, which must keep MPI going: whom this rank waits
  /// for may itself wait for a message from here. `is_urgent`: every time.
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
  /// Looking at MPI costs several switches' worth of cold caches: measured at 32 ranks on 2 cores,
  /// every yield 1.94 times as fast as the MPI library, every 4th 2.21, every 16th 2.26, never
  /// 2.49.
  static constexpr unsigned kSharedYields = 16;

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  unsigned looks_before_yield_;
  unsigned yields_before_progress_;
  unsigned looks_ = 0;
  unsigned yields_ = 0;
};

}  // namespace rondo::node
