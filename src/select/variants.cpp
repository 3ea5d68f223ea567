#include "select/variants.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::select {

namespace {

using choice::Choice;
using choice::OpenChoice;
using registry::Algorithm;
using registry::Chooser;
using registry::Collective;
using registry::Parameter;
using registry::Shape;

bool is_radix(const Parameter& parameter) {
  return parameter.kind == Parameter::Kind::radix;
}

/// The rows that `chooser` considers. A single rank only copies its own block, so the first row that sends
/// straight is as good as any.
std::vector<const Algorithm*> rows(Chooser chooser, Collective collective, const Place& place) {
  std::vector<const Algorithm*> found;
  const bool is_alone = place.layout.ranks == 1;
  for (const Algorithm& algorithm : registry::algorithms_of(collective)) {
    if (algorithm.collective != collective || !applicable(algorithm, place)) continue;
    if (is_alone && algorithm.shape == Shape::linear) return {&algorithm};
    if (!is_alone && algorithm.chooser <= chooser) found.push_back(&algorithm);
  }
  return found;
}

/// Whether `chooser` tries other values than the default. A parameter that is off by default is off in the
/// published algorithm. `auto` varies only how messages travel between nodes, because the best way depends
/// on the length.
bool is_varied(const Parameter& parameter, Chooser chooser) {
  if (parameter.by_default.is(registry::kUnbounded)) return false;
  if (chooser == Chooser::automatic) return parameter.kind == Parameter::Kind::between;
  return chooser == Chooser::tuning || !is_radix(parameter);
}

/// Requests without those that do the same as an earlier one.
class Distinct {
 public:
  Distinct(const choice::Layout& layout, const model::Load& load) : layout_(layout), load_(load) {}

  void add(const OpenChoice& open) {
    const Choice choice = acts_as(choice::resolve(open, layout_), layout_, load_);
    if (std::ranges::find(choices_, choice) != choices_.end()) return;
    choices_.push_back(choice);
    list_.push_back(open);
  }

  /// Adds to each choice the same one with every value worth trying of its parameter `at`.
  void vary(std::size_t at) {
    const std::vector<OpenChoice> before = std::exchange(list_, {});
    choices_.clear();
    for (const OpenChoice& open : before) {
      add(open);
      const Parameter& parameter = open.algorithm->parameters.list()[at];
      if (!choice::matters(parameter, choice::resolve(open, layout_), layout_)) continue;
      for (const registry::Value& value : parameter.worth_trying.list()) {
        OpenChoice other = open;
        other.values[at] = choice::value_on(value, layout_);
        other.values[at] = choice::resolve(other, layout_).values[at];
        if (!sends_all_straight(parameter, *other.values[at])) add(other);
      }
    }
  }

  const std::vector<OpenChoice>& list() const { return list_; }

 private:
  /// Whether all blocks have one length and exceed this threshold. Another row sends all blocks straight.
  bool sends_all_straight(const Parameter& parameter, std::int64_t value) const {
    return parameter.kind == Parameter::Kind::bytes &&
           load_.distribution == model::Distribution::constant &&
           static_cast<double>(value) < load_.block_bytes;
  }

  const choice::Layout& layout_;
  const model::Load& load_;
  std::vector<Choice> choices_;  ///< acts_as() of those in the list
  std::vector<OpenChoice> list_;
};

std::vector<OpenChoice> variants_of(const Algorithm& algorithm, Chooser chooser,
                                    const choice::Layout& layout, const model::Load& load) {
  Distinct found(layout, load);
  found.add({.algorithm = &algorithm});
  const auto list = algorithm.parameters.list();
  for (std::size_t at = 0; at < list.size(); ++at)
    if (is_varied(list[at], chooser)) found.vary(at);
  return found.list();
}

/// The choice with its best radices. Nothing else changes.
OpenChoice at_best_radices(const OpenChoice& open, const model::Contest& contest,
                           std::int64_t block_bytes) {
  const Choice choice = model::with_best_radices(open, contest, block_bytes);
  OpenChoice found = open;
  const auto list = open.algorithm->parameters.list();
  const std::size_t count = std::min(list.size(), found.values.size());
  for (std::size_t i = 0; i < count; ++i)
    if (is_radix(list[i])) found.values[i] = choice.values[i];
  return found;
}

/// What a search among all radices between nodes takes grows as N^1.5: among 64 nodes it took 2 ms.
bool has_best_radices(const Algorithm& algorithm, Chooser chooser, const Place& place) {
  constexpr int kMostNodes = 32;
  if (chooser == Chooser::tuning) return false;
  if (!algorithm.needs_node()) return true;
  return chooser == Chooser::plan && place.layout.real_nodes() <= kMostNodes;
}

/// The fastest variant of every algorithm, then the second fastest of each, and so on. The model
/// distinguishes algorithms better than values of a parameter.
std::vector<PredictedChoice> alternating(std::vector<PredictedChoice> ranked) {
  std::vector<std::pair<std::size_t, PredictedChoice>> numbered;
  std::map<const registry::Algorithm*, std::size_t> had;
  for (PredictedChoice& one : ranked)
    numbered.emplace_back(had[one.choice.algorithm]++, std::move(one));
  std::ranges::stable_sort(numbered, {}, &std::pair<std::size_t, PredictedChoice>::first);
  for (std::size_t i = 0; i < numbered.size(); ++i) ranked[i] = std::move(numbered[i].second);
  return ranked;
}

/// Whether messages of one inside a node cost no less than those of the other in any part of the model, and more in
/// some. Between two ranks, the MPI library's call sends the same message as any other.
bool is_dominated(const PredictedChoice& one, const PredictedChoice& other, const Place& place) {
  const registry::Algorithm& algorithm = *one.choice.algorithm;
  if (algorithm.needs_node() || algorithm.is_library() || place.layout.real_nodes() != 1)
    return false;
  const model::Cost& cost = one.prediction.cost;
  const model::Cost& less = other.prediction.cost;
  const bool is_less = less.latency <= cost.latency && less.bandwidth <= cost.bandwidth &&
                       less.copies <= cost.copies && less.arrivals <= cost.arrivals &&
                       less.switches <= cost.switches && less.agreement <= cost.agreement;
  const bool is_same_message =
      place.layout.ranks == 2 && place.has_node && other.choice.algorithm->is_library();
  return is_less && (is_same_message || less.total() < cost.total());
}

/// What else than `own` is worth trying, the best first.
std::vector<Choice> considered(const Choice& own, const Place& place, const model::Machine& machine,
                               std::int64_t block_bytes) {
  const Collective collective = own.algorithm->collective;
  std::vector<Choice> found;
  if (collective == Collective::alltoall || collective == Collective::alltoallv) {
    const auto all = ranked(Chooser::plan, collective, place, machine, block_bytes);
    for (const PredictedChoice& one : alternating(all))
      if (std::ranges::none_of(
              all, [&](const PredictedChoice& other) { return is_dominated(one, other, place); }))
        found.push_back(one.prediction.choice);
    return found;
  }
  auto all = rows(Chooser::plan, collective, place);
  std::ranges::stable_sort(all, {}, &Algorithm::chooser);
  for (const Algorithm* const row : all)
    found.push_back(choice::resolve({.algorithm = row}, place.layout));
  return found;
}

}  // namespace

bool applicable(const Algorithm& algorithm, const Place& place) {
  if (algorithm.is_library()) return place.may_forward;
  return !algorithm.needs_node() ||
         (place.has_node && place.layout.real_nodes() < place.layout.ranks);
}

std::vector<OpenChoice> variants(Chooser chooser, Collective collective, const Place& place,
                                 const model::Load& load) {
  std::vector<OpenChoice> found;
  for (const Algorithm* const row : rows(chooser, collective, place))
    for (const OpenChoice& open : variants_of(*row, chooser, place.layout, load))
      found.push_back(open);
  return found;
}

Choice acts_as(const Choice& choice, const choice::Layout& layout, const model::Load& load) {
  Choice acts = choice;
  const auto list = choice.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool is_exceeded = static_cast<double>(choice.values[i]) < load.block_bytes;
    if (list[i].kind == Parameter::Kind::bytes && !is_exceeded)
      acts.values[i] = registry::kUnbounded;
    if (!choice::matters(list[i], choice, layout)) acts.values[i] = 0;
  }
  return acts;
}

model::Contest contest_of(Collective collective, const Place& place,
                          const model::Machine& machine) {
  const bool is_uniform = collective == Collective::alltoall;
  model::Prices prices = model::loggp(machine);
  // On several nodes, long blocks also go straight to other nodes. The MPI library was measured to be faster
  // there, for a reason that the model does not have. So the copies inside a node must not decide.
  prices.host.copies_long = place.has_node && place.copies_long && place.layout.real_nodes() == 1;
  return {.layout = place.layout,
          .distribution = is_uniform ? model::Distribution::constant : model::Distribution::uniform,
          .prices = prices};
}

std::vector<PredictedChoice> ranked(Chooser chooser, Collective collective, const Place& place,
                                    const model::Machine& machine, std::int64_t block_bytes) {
  const model::Contest contest = contest_of(collective, place, machine);
  std::vector<PredictedChoice> found;
  for (OpenChoice open : variants(chooser, collective, place, contest.load(block_bytes))) {
    if (has_best_radices(*open.algorithm, chooser, place))
      open = at_best_radices(open, contest, block_bytes);
    const Choice choice = choice::resolve(open, place.layout);
    found.push_back({open, contest.predict(choice, block_bytes)});
  }
  std::ranges::stable_sort(found, {},
                           [](const PredictedChoice& one) { return one.prediction.cost.total(); });
  return found;
}

std::vector<Choice> choices_to_try(const Choice& own, const Place& place,
                                   const model::Machine& machine, std::size_t block_bytes) {
  const Collective collective = own.algorithm->collective;
  const auto bytes = static_cast<std::int64_t>(std::max<std::size_t>(block_bytes, 1));
  const model::Load load = contest_of(collective, place, machine).load(bytes);
  std::vector<Choice> found = {own};
  const auto add = [&](const Choice& choice) {
    const bool is_known = std::ranges::any_of(found, [&](const Choice& other) {
      return acts_as(choice, place.layout, load) == acts_as(other, place.layout, load);
    });
    if (!is_known && found.size() < kMostTried) found.push_back(choice);
  };
  const Algorithm& library = registry::library_call(collective);
  if (library.chooser <= Chooser::plan && applicable(library, place))
    add(choice::resolve({.algorithm = &library}, place.layout));
  for (const Choice& choice : considered(own, place, machine, bytes)) add(choice);
  return found;
}

}  // namespace rondo::select
