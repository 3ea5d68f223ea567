#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "choice/choice.hpp"

namespace rondo::choice {

using registry::Key;
using registry::kUnbounded;
using registry::Limit;
using registry::Needs;
using registry::Parameter;
using registry::Rule;
using registry::Shape;

namespace {

bool is_radix(const Parameter& parameter) {
  return parameter.kind == Parameter::Kind::radix;
}

/// Returns the smallest radix whose square is at least `count`; it is at least 2.
std::int64_t ceil_root(int count) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(count)));
  while (root * root < count) ++root;
  return std::max<std::int64_t>(root, 2);
}

/// The price of a message, in copies of a short run of blocks. It is the lowest usual price, with which
/// messages between nodes are cheapest.
constexpr std::int64_t kCopiesOfMessage = 80;

/// Compares the work of the busiest rank of a node, for short blocks, in copies of a run. With direct
/// messages, the messages of a node are shared among its Q ranks. Log-time rounds have fewer messages.
/// But one rank of each node packs the runs of all Q ranks for every other node, copies them again on
/// their way, and unpacks them. Therefore direct messages are faster with more than a few ranks a node,
/// however many nodes there are. With longer blocks the copies count even more. This is only the
/// default: `auto` asks the model for each length (select/variants.hpp).
schedule::Between between_nodes(const Layout& layout) {
  const std::int64_t others = layout.real_nodes() - 1;
  const std::int64_t per_node = std::max(layout.ranks / layout.real_nodes(), 1);
  const std::int64_t messages = (others + per_node - 1) / per_node;
  const std::int64_t straight = messages * (kCopiesOfMessage + per_node);
  // The wait for the second digit's rounds counts as two messages.
  const std::int64_t rounds = 2 * ceil_root(layout.real_nodes());
  const std::int64_t in_rounds = rounds * kCopiesOfMessage + others * (per_node + 2);
  return straight <= in_rounds ? schedule::Between::direct : schedule::Between::bruck;
}

/// Returns the number of rounds in the longest phase. The radices of `choice` must be known.
std::int64_t longest_phase(const Choice& choice, const Layout& layout) {
  if (choice.algorithm->shape == Shape::linear) return std::max(layout.ranks - 1, 1);
  std::int64_t rounds = 1;
  const auto list = choice.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (is_radix(list[i])) rounds = std::max(rounds, choice.values[i] - 1);
  return rounds;
}

/// Returns the largest value that makes a difference.
std::int64_t largest_useful(Limit limit, const Layout& layout, std::int64_t phase) {
  switch (limit) {
    case Limit::none:
      break;
    case Limit::ranks:
      return layout.ranks;
    case Limit::per_node:
      return layout.per_node;
    case Limit::nodes:
      return layout.nodes;
    case Limit::real_nodes:
      return layout.real_nodes();
    case Limit::phase:
      return phase;
  }
  return kUnbounded;
}

std::int64_t useful(std::int64_t value, const Parameter& parameter, const Layout& layout,
                    std::int64_t phase = 1) {
  const std::int64_t most = largest_useful(parameter.limit, layout, phase);
  return std::clamp(value, parameter.least, std::max(most, parameter.least));
}

}  // namespace

Layout layout_of(const schedule::NodeMap& nodes) {
  const int per_node = nodes.common_size();
  const int equal_nodes = nodes.ranks() / per_node;
  return {.ranks = nodes.ranks(),
          .nodes = equal_nodes,
          .per_node = per_node,
          .uneven_nodes = nodes.nodes() == equal_nodes ? 0 : nodes.nodes()};
}

std::int64_t value_on(const registry::Value& value, const Layout& layout) {
  switch (value.rule) {
    case Rule::number:
      return value.number;
    case Rule::sqrt_ranks:
      return ceil_root(layout.ranks);
    case Rule::sqrt_per_node:
      return ceil_root(layout.per_node);
    case Rule::nodes:
      return layout.nodes;
    case Rule::sqrt_nodes:
      return ceil_root(layout.real_nodes());
    case Rule::between_nodes:
      return static_cast<std::int64_t>(between_nodes(layout));
    case Rule::node_threshold:
      return layout.real_nodes() == 1 ? registry::kLongestSharedBlock
                                      : registry::kThresholdBetweenNodes;
    case Rule::whole_phase:
      return layout.ranks;
  }
  return value.number;
}

bool matters(const Parameter& parameter, const Choice& choice, const Layout& layout) {
  constexpr auto kDirect = static_cast<int>(schedule::Between::direct);
  switch (parameter.needs) {
    case Needs::nothing:
      return true;
    case Needs::several_nodes:
      return layout.real_nodes() > 1;
    case Needs::bruck_between_nodes:
      return layout.real_nodes() > 1 && choice.value(Key::between, kDirect) != kDirect;
  }
  return true;
}

std::optional<std::int64_t> Choice::find(Key parameter) const {
  const auto list = algorithm->parameters.list();
  const auto at = std::ranges::find(list, parameter, &Parameter::key);
  if (at == list.end()) return std::nullopt;
  return values[static_cast<std::size_t>(at - list.begin())];
}

int Choice::value(Key parameter, int otherwise) const {
  return static_cast<int>(std::min(find(parameter).value_or(otherwise), registry::kMostInt));
}

Choice resolve(const OpenChoice& open, const Layout& layout) {
  Choice choice{.algorithm = open.algorithm};
  const auto list = open.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    choice.values[i] = open.values[i].value_or(value_on(list[i].by_default, layout));
    if (is_radix(list[i])) choice.values[i] = useful(choice.values[i], list[i], layout);
  }
  const std::int64_t longest = longest_phase(choice, layout);
  for (std::size_t i = 0; i < list.size(); ++i)
    choice.values[i] = useful(choice.values[i], list[i], layout, longest);
  return choice;
}

schedule::Schedule schedule_of(const Choice& choice, const Layout& layout) {
  switch (choice.algorithm->shape) {
    case Shape::linear:
      return schedule::linear(layout.ranks, choice.value(Key::window, layout.ranks));
    case Shape::pairwise:
      return schedule::pairwise(layout.ranks);
    case Shape::bruck:
      return schedule::bruck(layout.ranks, choice.value(Key::radix, 2));
    case Shape::two_layer:
      return schedule::two_layer(layout.nodes, layout.per_node, choice.value(Key::intra_radix, 2),
                                 choice.value(Key::inter_radix, 2));
    case Shape::library:
    case Shape::node:
      break;
  }
  throw Error(ErrorClass::argument, text(choice.algorithm->name, " has no flat schedule"));
}

schedule::NodeSchedule node_schedule_of(const Choice& choice, const schedule::NodeMap& nodes) {
  const auto how = static_cast<schedule::Between>(choice.value(Key::between, 0));
  return {nodes, how, choice.value(Key::node_radix, 2), choice.value(Key::parts, 1)};
}

}  // namespace rondo::choice
