#include "select/duel.hpp"

#include <algorithm>
#include <array>

namespace rondo::select {

namespace {

constexpr std::size_t kMostPairs = 128;

/// A pair counts for the challenger below this ratio.
constexpr std::int64_t kWinning = 970;

}  // namespace

std::size_t Duel::pairs_to_look() const {
  if (pairs_ == 0) return kFirstPairs;
  return std::min(pairs_, kMostPairsAtOnce);
}

Verdict Duel::look(std::span<const std::int64_t> times) {
  std::array<std::int64_t, kMostPairsAtOnce> ratios{};
  const std::size_t pairs = times.size() / 2;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    ratios[pair] = ratio_of(times[2 * pair + 1], times[2 * pair]);
    least_ = std::min(least_, ratios[pair]);
    if (is_new_ && pairs_ + pair == 0) continue;
    most_ = std::max(most_, ratios[pair]);
    if (ratios[pair] < kWinning) ++faster_;
  }
  pairs_ += pairs;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>((pairs - 1) / 2);
  std::nth_element(ratios.begin(), middle, ratios.begin() + static_cast<std::ptrdiff_t>(pairs));
  typical_ = *middle;

  if (pairs_ <= kFirstPairs) return least_ > kSame * 3 / 2 ? Verdict::loses : Verdict::open;
  if (pairs_ <= 2 * kFirstPairs) {
    if (least_ > kSame * 6 / 5) return Verdict::loses;
    return most_ < kSame / 2 ? Verdict::wins : Verdict::open;
  }
  return count();
}

Verdict Duel::count() const {
  const auto all = static_cast<std::int64_t>(counted());
  const std::int64_t lead = 2 * static_cast<std::int64_t>(faster_) - all;
  if (lead > 0 && lead * lead >= 7 * all) return Verdict::wins;
  if (lead < 0 && lead * lead > 3 * all) return Verdict::loses;
  return pairs_ < kMostPairs ? Verdict::open : Verdict::loses;
}

}  // namespace rondo::select
