// Searches for the best radix and for changes of the fastest algorithm.
#include "model/contest.hpp"

#include <algorithm>
#include <limits>

namespace rondo::model {

namespace {

using choice::Choice;
using ChoiceAt = std::function<Choice(std::int64_t)>;

struct Point {
  std::int64_t block_bytes;
  Choice choice;
};

/// Adds the changes between two points. A part with the same choice at both ends counts as having none.
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

std::vector<std::int64_t> radices_to_try(std::int64_t length) {
  std::vector<std::int64_t> radices;
  std::int64_t radix = 2;
  for (; radix * radix < length; ++radix) radices.push_back(radix);
  while (radix < length) {
    const std::int64_t values = (length + radix - 1) / radix;  // of the upper digit
    radices.push_back(radix);
    radix = (length - 1) / (values - 1) + 1;
  }
  radices.push_back(std::max<std::int64_t>(length, 2));
  return radices;
}

Choice with_best_radices(const choice::OpenChoice& open, const Contest& contest,
                         std::int64_t block_bytes) {
  choice::OpenChoice found = open;
  const auto list = open.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind != registry::Parameter::Kind::radix || found.values[i]) continue;
    choice::OpenChoice trial = found;
    trial.values[i] = std::numeric_limits<std::int64_t>::max();
    double least = std::numeric_limits<double>::infinity();
    // resolve() reduces this radix to the length of its dimension.
    for (const std::int64_t radix :
         radices_to_try(choice::resolve(trial, contest.layout).values[i])) {
      trial.values[i] = radix;
      const Choice choice = choice::resolve(trial, contest.layout);
      const double seconds = contest.predict(choice, block_bytes).cost.total();
      if (seconds >= least) continue;
      least = seconds;
      found.values[i] = radix;
    }
  }
  return choice::resolve(found, contest.layout);
}

std::vector<Prediction> ranking(std::span<const Choice> choices, const Contest& contest,
                                std::int64_t block_bytes) {
  std::vector<Prediction> predictions;
  for (const Choice& choice : choices) predictions.push_back(contest.predict(choice, block_bytes));
  std::ranges::stable_sort(predictions, {},
                           [](const Prediction& prediction) { return prediction.cost.total(); });
  return predictions;
}

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

}  // namespace rondo::model
