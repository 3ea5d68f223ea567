// What exploring may cost, and what it has cost.
//
// All amounts are in thousandths of a call of the incumbent, the choice that runs when nothing is tried. They are
// integers, so that ranks with different processors or compilers agree.
#pragma once

#include <cstdint>

namespace rondo::select {

class Account {
 public:
  static constexpr std::int64_t kCall = 1000;

  /// What may be spent after so many calls: six calls, and one call of 80.
  static constexpr std::int64_t allowance(std::uint64_t calls) {
    return 6 * kCall + static_cast<std::int64_t>(calls * kCall / 80);
  }

  bool can_pay(std::int64_t cost, std::uint64_t calls) const {
    return spent_ + cost <= allowance(calls);
  }

  void pay(std::int64_t cost) { spent_ += cost; }

  std::int64_t spent() const { return spent_; }

 private:
  std::int64_t spent_ = 0;
};

}  // namespace rondo::select
