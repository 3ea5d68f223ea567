#include "dropin/judge/pairs.hpp"

#include <algorithm>

namespace rondo::dropin::ab {

namespace {

double usual_elapsed(const std::vector<Block>& blocks) {
  std::vector<float> elapsed;
  for (const Block& block : blocks) elapsed.push_back(block.elapsed);
  const auto middle = elapsed.begin() + static_cast<std::ptrdiff_t>(elapsed.size() / 2);
  std::nth_element(elapsed.begin(), middle, elapsed.end());
  return *middle;
}

Stretch stretch_of(const SeriesTimes& series, std::size_t block) {
  const Block& own = series.blocks[block];
  return {.begin = block == 0 ? series.begin : series.blocks[block - 1].end,
          .end = own.end,
          .elapsed = own.elapsed,
          .inside = own.inside};
}

Arm arm_of_block(const SeriesTimes& series, std::size_t block) {
  return arm_of(series.order, static_cast<std::int64_t>(block) * kBlockCalls);
}

}  // namespace

std::vector<Pair> pairs_of(const SeriesTimes& series) {
  std::vector<Pair> pairs;
  if (series.blocks.size() < 2) return pairs;
  const double longest_pause = kLongestPause * usual_elapsed(series.blocks);
  for (std::size_t first = 0; first + 1 < series.blocks.size(); first += 2) {
    const std::size_t second = first + 1;
    const double pause = std::max(series.blocks[first].outside, series.blocks[second].outside);
    if (pause > longest_pause) continue;
    const bool library_is_first = arm_of_block(series, first) == Arm::library;
    pairs.push_back({.library = stretch_of(series, library_is_first ? first : second),
                     .rondo = stretch_of(series, library_is_first ? second : first),
                     .library_is_first = library_is_first});
  }
  return pairs;
}

Balance::Balance(const SeriesTimes& series) {
  constexpr auto kCalls = static_cast<double>(kBlockCalls);
  double calls = 0;
  positions_.push_back(series.begin);
  calls_.push_back(calls);
  for (std::size_t block = 0; block < series.blocks.size(); ++block) {
    calls += arm_of_block(series, block) == Arm::library ? +kCalls : -kCalls;
    positions_.push_back(series.blocks[block].end);
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
