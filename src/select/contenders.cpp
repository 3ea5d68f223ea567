#include "select/contenders.hpp"

#include <algorithm>
#include <map>

namespace rondo::select {

using choice::Choice;
using registry::Collective;

namespace {

/// The fastest variant of every algorithm, then the second fastest of every one, and so on: the model
/// tells algorithms apart more surely than values of a parameter.
std::vector<Ranked> in_turns(std::vector<Ranked> ranked) {
  std::vector<std::pair<std::size_t, Ranked>> turns;
  std::map<const registry::Algorithm*, std::size_t> had;
  for (Ranked& one : ranked) turns.emplace_back(had[one.request.algorithm]++, std::move(one));
  std::ranges::stable_sort(turns, {}, &std::pair<std::size_t, Ranked>::first);
  for (std::size_t i = 0; i < turns.size(); ++i) ranked[i] = std::move(turns[i].second);
  return ranked;
}

}  // namespace

std::vector<Choice> contenders(const Choice& own, const Place& place, const model::Machine& machine,
                               std::size_t block_bytes) {
  const Collective collective = own.algorithm->collective;
  const auto bytes = static_cast<std::int64_t>(std::max<std::size_t>(block_bytes, 1));
  const model::Load load = contest_of(collective, place, machine).load(bytes);
  std::vector<Choice> found = {own};
  const auto add = [&](const Choice& choice) {
    const bool is_known = std::ranges::any_of(found, [&](const Choice& other) {
      return acts_as(choice, place.layout, load) == acts_as(other, place.layout, load);
    });
    if (!is_known && found.size() < kMostContenders) found.push_back(choice);
  };
  add(choice::resolve({.algorithm = &registry::library_call(collective)}, place.layout));
  const auto considered = ranked(registry::Chooser::plan, collective, place, machine, bytes);
  for (const Ranked& one : in_turns(considered)) add(one.prediction.choice);
  return found;
}

}  // namespace rondo::select
