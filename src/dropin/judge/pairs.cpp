#include "dropin/judge/pairs.hpp"

#include <algorithm>

namespace rondo::dropin::ab {

namespace {

double median_elapsed(const std::vector<TurnTimes>& turns) {
  std::vector<float> elapsed;
  for (const TurnTimes& turn : turns) elapsed.push_back(turn.elapsed);
  const auto middle = elapsed.begin() + static_cast<std::ptrdiff_t>(elapsed.size() / 2);
  std::nth_element(elapsed.begin(), middle, elapsed.end());
  return *middle;
}

Stretch stretch_of(const SeriesTimes& series, std::size_t turn) {
  const TurnTimes& own = series.turns[turn];
  return {.begin = turn == 0 ? series.begin : series.turns[turn - 1].end,
          .end = own.end,
          .elapsed = own.elapsed,
          .inside = own.inside};
}

Arm arm_of_turn(const SeriesTimes& series, std::size_t turn) {
  return arm_of(series.order, static_cast<std::int64_t>(turn) * kTurnCalls);
}

}  // namespace

std::vector<Pair> pairs_of(const SeriesTimes& series) {
  std::vector<Pair> pairs;
  if (series.turns.size() < 2) return pairs;
  const double longest_pause = kLongestPause * median_elapsed(series.turns);
  for (std::size_t first = 0; first + 1 < series.turns.size(); first += 2) {
    const std::size_t second = first + 1;
    const double pause = std::max(series.turns[first].outside, series.turns[second].outside);
    if (pause > longest_pause) continue;
    const bool library_is_first = arm_of_turn(series, first) == Arm::library;
    pairs.push_back({.library = stretch_of(series, library_is_first ? first : second),
                     .rondo = stretch_of(series, library_is_first ? second : first),
                     .library_is_first = library_is_first});
  }
  return pairs;
}

Balance::Balance(const SeriesTimes& series) {
  constexpr auto kCalls = static_cast<double>(kTurnCalls);
  double calls = 0;
  positions_.push_back(series.begin);
  calls_.push_back(calls);
  for (std::size_t turn = 0; turn < series.turns.size(); ++turn) {
    calls += arm_of_turn(series, turn) == Arm::library ? +kCalls : -kCalls;
    positions_.push_back(series.turns[turn].end);
    calls_.push_back(calls);
  }
}

double Balance::at(std::int64_t position) const {
  const auto after = std::ranges::upper_bound(positions_, position);
  if (after == positions_.begin()) return calls_.front();
  if (after == positions_.end()) return calls_.back();
  const auto next = static_cast<std::size_t>(after - positions_.begin());
  const double share = static_cast<double>(position - positions_[next - 1]) /
                       static_cast<double>(positions_[next] - positions_[next - 1]);
  return calls_[next - 1] + share * (calls_[next] - calls_[next - 1]);
}

}  // namespace rondo::dropin::ab
