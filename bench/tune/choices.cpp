#include "tune/choices.hpp"

#include <algorithm>

#include "select/decide.hpp"

namespace rondo::bench {

namespace {

using choice::OpenChoice;

/// An algorithm that is predicted to take this many times as long as the fastest is not raced.
constexpr double kTooSlow = 2;
constexpr std::size_t kMostPredicted = 12;

}  // namespace

std::vector<OpenChoice> choices_to_race(registry::Collective collective, const select::Place& place,
                                        const model::Machine& machine, std::int64_t block_bytes) {
  const model::Load load = select::contest_of(collective, place, machine).load(block_bytes);
  std::vector<OpenChoice> found;
  std::vector<choice::Choice> known;
  const auto add = [&](const OpenChoice& open) {
    const auto acts = select::acts_as(choice::resolve(open, place.layout), place.layout, load);
    if (std::ranges::find(known, acts) != known.end()) return;
    known.push_back(acts);
    found.push_back(open);
  };
  add({.algorithm = &registry::library_call(collective)});
  const auto ranked = [&](registry::Chooser chooser, std::int64_t bytes) {
    return select::ranked(chooser, collective, place, machine, bytes);
  };
  const auto compared = select::compared_at(static_cast<std::size_t>(block_bytes));
  add(ranked(registry::Chooser::automatic, compared).front().choice);
  const auto all = ranked(registry::Chooser::tuning, block_bytes);
  const double limit = kTooSlow * all.front().prediction.cost.total();
  for (const select::PredictedChoice& one : all) {
    if (one.prediction.cost.total() > limit || found.size() >= kMostPredicted) break;
    add(one.choice);
  }
  return found;
}

}  // namespace rondo::bench
