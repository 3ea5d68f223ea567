#include "select/duel.hpp"

#include <algorithm>

namespace rondo::select {

namespace {

constexpr std::size_t kMostPairs = 128;

/// A pair counts for the challenger below this ratio.
constexpr std::int32_t kWinning = 970;

}  // namespace

std::size_t Duel::pairs_to_look() const {
  if (pairs_ == 0) return kFirstPairs;
  return std::min<std::size_t>(pairs_, kMostPairsAtOnce);
}

Verdict Duel::look(std::span<const std::int64_t> times) {
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) {
    const auto ratio = static_cast<std::int32_t>(ratio_of(times[i + 1], times[i]));
    least_ = std::min(least_, ratio);
    most_ = std::max(most_, ratio);
    ++pairs_;
    if (ratio < kWinning) ++faster_;
  }
  if (pairs_ <= kFirstPairs) {
    if (least_ > kSame * 3 / 2) return Verdict::loses;
    return most_ < kSame / 3 ? Verdict::wins : Verdict::open;
  }
  if (pairs_ <= 2 * kFirstPairs) {
    if (least_ > kSame * 6 / 5) return Verdict::loses;
    return most_ < kSame / 2 ? Verdict::wins : Verdict::open;
  }
  return count();
}

Verdict Duel::count() const {
  const int lead = 2 * faster_ - pairs_;
  if (lead > 0 && lead * lead >= 7 * pairs_) return Verdict::wins;
  if (lead < 0 && lead * lead > 3 * pairs_) return Verdict::loses;
  return pairs_ < kMostPairs ? Verdict::open : Verdict::loses;
}

}  // namespace rondo::select
