// Decides when the set-up of a communicator pays off.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rondo::communicator {

/// The calls on one communicator before set-up. They are forwarded until set-up would have saved on them what it will
/// take. A communicator that is freed at the worst moment then costs at most twice what the MPI library alone would
/// have cost, and no rule without knowledge of the future does better ("ski rental": Karlin, Manasse, Rudolph, Sleator,
/// Competitive snoopy caching, Algorithmica 3, 1988).
class Deferral {
 public:
  /// `calls`: forward exactly this many calls; negative: apply the rule above. `ranks` is the communicator's size.
  Deferral(std::int64_t calls, int ranks);

  /// Counts a call. Returns true if it must be forwarded. Collective after 32, 64, 128, ... calls.
  bool defers(MPI_Comm comm);

  /// How many calls it has counted.
  std::uint64_t calls() const { return static_cast<std::uint64_t>(calls_); }

  /// What the longest of the timed calls took on this rank, in nanoseconds. 0 on all ranks if none was timed, and not 0
  /// on any rank otherwise, whether or not calls have failed.
  std::int64_t longest_call() const {
    if (calls_ <= kStride) return 0;  // the last one may have set up
    return std::max<std::int64_t>(1, std::chrono::nanoseconds(longest_).count());
  }

  /// Runs a forwarded call, and times one call in kStride.
  template <class Call>
  auto timed(Call&& call) {
    if (calls_ % kStride != 0) return call();
    const auto begin = Clock::now();
    const auto result = call();
    add(Clock::now() - begin);
    return result;
  }

  /// Runs a call that sets up, and remembers its duration for the next communicator with about as
  /// many ranks.
  template <class Call>
  static auto timed_set_up(int ranks, Call&& call) {
    const auto begin = Clock::now();
    const auto result = call();
    remember(ranks, Clock::now() - begin);
    return result;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Reading the clock takes a tenth of the time of the shortest calls, so not every call is timed. Odd, so that each of
  /// two calls that take turns is.
  static constexpr std::int64_t kStride = 7;
  static constexpr std::int64_t kFirstComparison = 32;

  void add(Clock::duration call);
  bool pays(MPI_Comm comm) const;
  Clock::duration expected_cost() const;
  static void remember(int ranks, Clock::duration cost);

  std::int64_t fixed_calls_;
  int ranks_;
  Clock::duration most_saved_;  ///< by set-up, of the time of a call
  std::int64_t calls_ = 0;
  Clock::duration measured_{0};  ///< of one call in kStride
  Clock::duration saved_{0};     ///< what set-up would have saved of that
  Clock::duration longest_{0};   ///< of these
};

}  // namespace rondo::communicator
