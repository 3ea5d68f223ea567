#include "select/contenders.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "model/crossover.hpp"
#include "registry/handling.hpp"

namespace rondo::select {

namespace {

using choice::Choice;
using choice::Request;
using registry::Collective;

/// Where lengths differ much, the longer blocks may do better straight, in bytes.
constexpr int kLowThreshold = 4096;

/// The other parameters that an algorithm of Shape::node may do well with.
std::vector<std::string> other_ways(const registry::Algorithm& algorithm, int nodes) {
  std::vector<std::string> ways;
  const auto add = [&](std::string_view parameter, std::string_view value) {
    ways.push_back(text(algorithm.name, ":", parameter, "=", value));
  };
  if (algorithm.collective == Collective::alltoallv)
    add("threshold", std::to_string(kLowThreshold));
  if (nodes == 1) return ways;
  add("threshold", std::to_string(registry::kLongestSharedBlock));
  for (const std::string_view word : registry::kBetweenWords) add("inter", word);
  return ways;
}

/// What `auto` chooses from; every block straight; and what else the nodes' algorithms can do.
std::vector<Request> all_ways(Collective collective, const Place& place) {
  std::vector<Request> found = candidates(collective, place);
  std::vector<std::string> others;
  for (const Request& request : found)
    if (request.algorithm->shape == registry::Shape::node)
      others = other_ways(*request.algorithm, place.layout.real_nodes());
  others.emplace_back("spread_out");
  for (const std::string& other : others) found.push_back(choice::parse(collective, other));
  return found;
}

/// The same for blocks of up to S: a threshold that none exceeds is none.
bool acts_as(const Choice& choice, const Choice& other, std::size_t block_bytes) {
  if (choice.algorithm != other.algorithm) return false;
  const auto list = choice.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (choice.values[i] == other.values[i]) continue;
    if (list[i].kind != registry::Parameter::Kind::bytes) return false;
    if (static_cast<std::size_t>(std::min(choice.values[i], other.values[i])) < block_bytes)
      return false;
  }
  return true;
}

}  // namespace

std::vector<Choice> contenders(const Choice& own, const Place& place, const model::Machine& machine,
                               std::size_t block_bytes) {
  const Collective collective = own.algorithm->collective;
  const model::Contest contest = contest_of(collective, place, machine);
  const auto bytes = static_cast<std::int64_t>(std::max<std::size_t>(block_bytes, 1));
  std::vector<Choice> ways;
  for (const Request& request : all_ways(collective, place))
    ways.push_back(choice::resolve(with_best_radices(request, contest, bytes), place.layout));

  std::vector<Choice> found = {own};
  const auto add = [&](const Choice& choice) {
    const bool is_known = std::ranges::any_of(
        found, [&](const Choice& other) { return acts_as(choice, other, block_bytes); });
    if (!is_known && found.size() < kMostContenders) found.push_back(choice);
  };
  add(choice::resolve(choice::parse(collective, "mpi"), place.layout));
  for (const model::Prediction& prediction : model::ranking(ways, contest, bytes))
    add(prediction.choice);
  return found;
}

}  // namespace rondo::select
