#include "tune/entrants.hpp"

#include <algorithm>
#include <set>

#include "model/crossover.hpp"

namespace rondo::bench {

namespace {

using choice::Request;
using registry::Parameter;

/// Beyond this many times the fastest prediction the model has said enough.
constexpr double kTooSlow = 2;
constexpr std::size_t kMostPredicted = 12;

constexpr std::int64_t kRadices[] = {2, 3, 4, 8, 16, 32, 64};
constexpr std::int64_t kThresholds[] = {1024, 4096, 16384};

/// The requests with each of `values` in place of parameter `at`, and the request as it is.
std::vector<Request> with_each(const std::vector<Request>& requests, std::size_t at,
                               std::vector<std::int64_t> values) {
  std::vector<Request> found = requests;
  for (const Request& request : requests)
    for (const std::int64_t value : values) found.emplace_back(request).values[at] = value;
  return found;
}

/// Values of a parameter that may matter; none where only its default does.
std::vector<std::int64_t> values_to_try(const Parameter& parameter, const choice::Layout& layout,
                                        std::int64_t block_bytes) {
  std::vector<std::int64_t> values;
  if (parameter.kind == Parameter::Kind::radix) {
    for (const std::int64_t radix : kRadices)
      if (radix < layout.ranks) values.push_back(radix);
    values.push_back(std::max(layout.ranks, 2));
  }
  const bool has_bound =
      parameter.kind == Parameter::Kind::bytes && parameter.value != registry::kUnbounded;
  if (has_bound)
    for (const std::int64_t threshold : kThresholds)
      if (threshold < block_bytes && threshold < parameter.value) values.push_back(threshold);
  if (parameter.kind == Parameter::Kind::between && layout.real_nodes() > 1) values = {0, 1};
  return values;
}

std::vector<Request> variants(const registry::Algorithm& algorithm, const choice::Layout& layout,
                              std::int64_t block_bytes) {
  std::vector<Request> requests = {Request{.algorithm = &algorithm}};
  const auto list = algorithm.parameters.list();
  for (std::size_t at = 0; at < list.size(); ++at)
    requests = with_each(requests, at, values_to_try(list[at], layout, block_bytes));
  return requests;
}

bool applies(const registry::Algorithm& algorithm, const select::Place& place) {
  return place.has_node || algorithm.shape != registry::Shape::node;
}

/// In their order, without those that act as an earlier one.
class Entries {
 public:
  explicit Entries(const choice::Layout& layout) : layout_(layout) {}
  void add(const Request& request) {
    if (known_.insert(what_it_does(request)).second) list_.push_back(request);
  }
  const std::vector<Request>& list() const { return list_; }

 private:
  /// Messages straight from node to node have no radix.
  std::string what_it_does(const Request& request) const {
    choice::Choice choice = choice::resolve(request, layout_);
    const auto direct = static_cast<int>(schedule::Between::direct);
    const auto list = choice.algorithm->parameters.list();
    if (choice.value(registry::Key::between, 1 - direct) == direct)
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].key == registry::Key::node_radix) choice.values[i] = 0;
    return choice.text();
  }

  choice::Layout layout_;
  std::set<std::string> known_;
  std::vector<Request> list_;
};

}  // namespace

std::vector<Request> entrants(registry::Collective collective, const select::Place& place,
                              const model::Machine& machine, std::int64_t block_bytes) {
  Entries all(place.layout);
  for (const registry::Algorithm& algorithm : registry::algorithms()) {
    if (algorithm.collective != collective || !applies(algorithm, place)) continue;
    for (const Request& request : variants(algorithm, place.layout, block_bytes)) all.add(request);
  }
  std::vector<choice::Choice> choices;
  for (const Request& request : all.list())
    choices.push_back(choice::resolve(request, place.layout));
  const model::Contest contest = select::contest_of(collective, place, machine);
  const auto ranked = model::ranking(choices, contest, block_bytes);

  Entries found(place.layout);
  const auto decided = select::predicted(place, machine);
  const auto bytes = static_cast<std::size_t>(block_bytes);
  found.add(choice::parse(collective, "mpi"));
  found.add(select::band_of(decided.of(collective), bytes).request);
  for (const model::Prediction& prediction : ranked) {
    const bool is_close = prediction.cost.total() <= kTooSlow * ranked.front().cost.total();
    if (!is_close || found.list().size() >= kMostPredicted) break;
    found.add(all.list()[static_cast<std::size_t>(std::ranges::find(choices, prediction.choice) -
                                                  choices.begin())]);
  }
  return found.list();
}

}  // namespace rondo::bench
