// What exploring may cost, and what it has cost.
//
// All amounts are in thousandths of a call of the incumbent, the choice that runs when nothing is tried. They are
// integers, so that ranks with different processors or compilers agree.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rondo::select {

class Account {
 public:
  static constexpr std::int64_t kCall = 1000;

  /// A better choice that is found early saves more, so most is spent in these.
  static constexpr std::uint64_t kEarlyCalls = 1000;

  /// What may be spent after so many calls: six calls, one call of 25 in the first 1,000, and one of 80 from then on.
  static constexpr std::int64_t allowance(std::uint64_t calls) {
    const std::uint64_t early = std::min(calls, kEarlyCalls);
    return 6 * kCall + static_cast<std::int64_t>(early * kCall / 25 + (calls - early) * kCall / 80);
  }

  bool can_pay(std::int64_t cost, std::uint64_t calls) const {
    return spent_ + cost <= allowance(calls);
  }

  /// The least number of calls after which it can pay that.
  std::uint64_t can_pay_after(std::int64_t cost) const {
    const std::int64_t lacking = std::max<std::int64_t>(spent_ + cost - allowance(0), 0);
    const std::int64_t early = std::min(lacking, allowance(kEarlyCalls) - allowance(0));
    return static_cast<std::uint64_t>(rounded_up(early * 25) + rounded_up((lacking - early) * 80));
  }

  void pay(std::int64_t cost) { spent_ += cost; }

  std::int64_t spent() const { return spent_; }

 private:
  static constexpr std::int64_t rounded_up(std::int64_t thousandths) {
    return (thousandths + kCall - 1) / kCall;
  }

  std::int64_t spent_ = 0;
};

}  // namespace rondo::select
