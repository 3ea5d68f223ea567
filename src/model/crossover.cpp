#include "model/crossover.hpp"

#include <algorithm>

#include "model/reason.hpp"

namespace rondo::model {

namespace {

using choice::Choice;
using ChoiceAt = std::function<Choice(std::int64_t)>;

struct Point {
  std::int64_t block_bytes;
  Choice choice;
};

/// Add the changes between two points, of which every part at whose ends the choice is the same has
/// none.
void bisect(const Point& low, const Point& high, const ChoiceAt& choice_at,
            std::vector<Change>& found) {
  if (low.choice == high.choice) return;
  if (high.block_bytes - low.block_bytes == 1) {
    found.push_back({high.block_bytes, low.choice, high.choice});
    return;
  }
  const std::int64_t bytes = low.block_bytes + (high.block_bytes - low.block_bytes) / 2;
  const Point middle{bytes, choice_at(bytes)};
  bisect(low, middle, choice_at, found);
  bisect(middle, high, choice_at, found);
}

}  // namespace

std::vector<Change> changes(const Range& range, const ChoiceAt& choice_at) {
  std::vector<Change> found;
  Point low{range.from, choice_at(range.from)};
  while (low.block_bytes < range.to) {
    const std::int64_t octave = std::max<std::int64_t>(low.block_bytes, 1);
    const std::int64_t bytes = low.block_bytes + std::min(octave, range.to - low.block_bytes);
    const Point high{bytes, choice_at(bytes)};
    bisect(low, high, choice_at, found);
    low = high;
  }
  return found;
}

std::vector<Prediction> ranking(std::span<const Choice> candidates, const Contest& contest,
                                std::int64_t block_bytes) {
  std::vector<Prediction> predictions;
  for (const Choice& choice : candidates)
    predictions.push_back(
        predict(choice, contest.layout, contest.load(block_bytes), contest.prices));
  std::ranges::stable_sort(predictions, {},
                           [](const Prediction& prediction) { return prediction.cost.total(); });
  return predictions;
}

std::vector<Crossover> crossovers(std::span<const Choice> candidates, const Contest& contest,
                                  const Range& range) {
  if (candidates.empty()) return {};
  const auto fastest_at = [&](std::int64_t block_bytes) {
    return ranking(candidates, contest, block_bytes).front().choice;
  };
  std::vector<Crossover> found;
  for (const Change& change : changes(range, fastest_at)) {
    const Load load = contest.load(change.block_bytes);
    const Prediction before = predict(change.before, contest.layout, load, contest.prices);
    const Prediction after = predict(change.after, contest.layout, load, contest.prices);
    found.push_back({change.block_bytes, before, after, why_faster(after, before)});
  }
  return found;
}

}  // namespace rondo::model
