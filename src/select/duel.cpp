#include "select/duel.hpp"

#include <algorithm>

namespace rondo::select {

namespace {

constexpr std::size_t kMostPairs = 128;

/// A pair counts for the challenger below this ratio.
constexpr std::int32_t kWinning = 970;

/// Ratios that decide early if all pairs are below, or above.
struct Early {
  std::int32_t wins;
  std::int32_t loses;
};
constexpr Early kFirst[] = {{kSame / 3, kSame * 3 / 2}, {kSame * 2 / 3, kSame * 6 / 5}};
constexpr Early kSecond[] = {{kSame / 2, kSame * 6 / 5}, {kSame * 5 / 6, kSame * 11 / 10}};

}  // namespace

std::size_t Duel::pairs_to_look() const {
  if (pairs_ == 0) return kFirstPairs;
  return std::min<std::size_t>(pairs_, kMostPairsAtOnce);
}

Verdict Duel::look(std::span<const std::int64_t> times, bool are_runs) {
  std::int32_t least = kMostRatio;
  std::int32_t most = 0;
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) {
    const auto ratio = static_cast<std::int32_t>(ratio_of(times[i + 1], times[i]));
    least = std::min(least, ratio);
    most = std::max(most, ratio);
    ++pairs_;
    if (ratio < kWinning) ++faster_;
  }
  least_ = std::min(least_, least);
  most_ = std::max(most_, most);
  const bool is_early = pairs_ <= 2 * kFirstPairs;
  const Early& early = (pairs_ > kFirstPairs ? kSecond : kFirst)[are_runs ? 1 : 0];
  if ((is_early ? least_ : least) > early.loses) return Verdict::loses;
  if ((is_early ? most_ : most) < early.wins) return Verdict::wins;
  return is_early ? Verdict::open : count();
}

Verdict Duel::count() const {
  const int lead = 2 * faster_ - pairs_;
  if (lead > 0 && lead * lead >= 7 * pairs_) return Verdict::wins;
  if (lead < 0 && lead * lead > 3 * pairs_) return Verdict::loses;
  return pairs_ < kMostPairs ? Verdict::open : Verdict::loses;
}

}  // namespace rondo::select
