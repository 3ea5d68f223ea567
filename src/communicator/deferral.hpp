// When a communicator's set-up begins to pay.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>

namespace rondo::communicator {

/// One communicator's calls before set-up. They are the MPI library's until they have taken as long
/// as set-up will. A communicator that is freed at the worst moment has then cost twice what the
/// library would have taken, and no rule that cannot see ahead does better ("ski rental": Karlin,
/// Manasse, Rudolph, Sleator, Competitive snoopy caching, Algorithmica 3, 1988).
class Deferral {
 public:
  /// `calls`: how many calls are the library's whatever they take; negative: see above.
  explicit Deferral(std::int64_t calls) : fixed_calls_(calls) {}

  /// Count a call; true if it is the library's. Collective after 32, 64, 128, ... calls.
  bool defers(MPI_Comm comm, int ranks);

  /// Run a call that was deferred, by the clock now and then.
  template <class Call>
  auto timed(Call&& call) {
    if (calls_ % kStride != 0) return call();
    const auto begin = Clock::now();
    const auto result = call();
    measured_ += Clock::now() - begin;
    return result;
  }

  /// Run a call that sets up, and remember how long it took for the next communicator of about as
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

  /// A look at the clock takes as long as a tenth of the shortest calls.
  static constexpr std::int64_t kStride = 8;
  static constexpr std::int64_t kFirstCheck = 32;

  bool pays(MPI_Comm comm, int ranks) const;
  Clock::duration expected_cost(int ranks) const;
  static void remember(int ranks, Clock::duration cost);

  std::int64_t fixed_calls_;
  std::int64_t calls_ = 0;
  Clock::duration measured_{0};  ///< of one call in kStride
};

}  // namespace rondo::communicator
