#include "choice/choice.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace rondo::choice {

using registry::Algorithm;
using registry::algorithms;
using registry::Collective;
using registry::Default;
using registry::kBetweenWords;
using registry::Key;
using registry::kLongestSharedBlock;
using registry::kMostInt;
using registry::kUnbounded;
using registry::Limit;
using registry::Parameter;
using registry::Shape;

namespace {

/// The smallest radix whose square reaches `count`, at least 2.
std::int64_t ceil_root(int count) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(count)));
  while (root * root < count) ++root;
  return std::max<std::int64_t>(root, 2);
}

bool is_radix(const Parameter& parameter) {
  return parameter.kind == Parameter::Kind::radix;
}

/// Messages that a rank may send straight to other nodes before log-time rounds, in which one rank
/// of a node works for all, are quicker.
constexpr int kDirectMessages = 16;

schedule::Between between_nodes(const Layout& layout) {
  const int nodes = layout.real_nodes();
  const int per_node = std::max(layout.ranks / nodes, 1);
  return nodes - 1 <= kDirectMessages * per_node ? schedule::Between::direct
                                                 : schedule::Between::bruck;
}

/// Of node_aware, in bytes.
constexpr std::int64_t kThresholdBetweenNodes = 16384;

std::int64_t default_value(const Parameter& parameter, const Layout& layout) {
  switch (parameter.rule) {
    case Default::value:
      return parameter.value;
    case Default::sqrt_ranks:
      return ceil_root(layout.ranks);
    case Default::sqrt_per_node:
      return ceil_root(layout.per_node);
    case Default::nodes:
      return layout.nodes;
    case Default::sqrt_nodes:
      return ceil_root(layout.real_nodes());
    case Default::between_nodes:
      return static_cast<std::int64_t>(between_nodes(layout));
    case Default::node_threshold:
      return layout.real_nodes() == 1 ? kLongestSharedBlock : kThresholdBetweenNodes;
    case Default::whole_phase:
      return layout.ranks;
  }
  return parameter.value;
}

/// Rounds of the longest phase, once the radices of `choice` are known.
std::int64_t longest_phase(const Choice& choice, const Layout& layout) {
  if (choice.algorithm->shape == Shape::linear) return std::max(layout.ranks - 1, 1);
  std::int64_t rounds = 1;
  const auto list = choice.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (is_radix(list[i])) rounds = std::max(rounds, choice.values[i] - 1);
  return rounds;
}

/// The largest value that makes a difference.
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

std::string known_names(Collective collective) {
  std::string names;
  for (const Algorithm& algorithm : registry::algorithms_of(collective))
    if (algorithm.collective == collective)
      names += text(names.empty() ? "" : ", ", algorithm.name);
  return names;
}

std::string known_parameters(const Algorithm& algorithm) {
  std::string names;
  for (const Parameter& parameter : algorithm.parameters.list())
    names += text(names.empty() ? "" : ", ", parameter.name);
  return names.empty() ? "none" : names;
}

constexpr std::string_view kOff = "off";

std::int64_t parse_word(const Algorithm& algorithm, const Parameter& parameter,
                        std::string_view word) {
  const auto at = std::ranges::find(kBetweenWords, word);
  if (at == kBetweenWords.end())
    throw Error(ErrorClass::argument, text(algorithm.name, ": ", parameter.name, " is '", word,
                                           "', must be direct or bruck"));
  return at - kBetweenWords.begin();
}

/// The row of an algorithm over MPI: for uniform blocks where there is one of that name.
std::int64_t parse_inner(const Algorithm& algorithm, const Parameter& parameter,
                         std::string_view name) {
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    if (const Algorithm* const row = registry::find(collective, name))
      return row - algorithms().data();
  throw Error(ErrorClass::argument, text(algorithm.name, ": ", parameter.name, " is '", name,
                                         "'; there are: ", known_names(Collective::alltoall), ", ",
                                         known_names(Collective::alltoallv)));
}

std::int64_t parse_value(const Algorithm& algorithm, const Parameter& parameter,
                         std::string_view digits) {
  if (parameter.kind == Parameter::Kind::between) return parse_word(algorithm, parameter, digits);
  if (parameter.kind == Parameter::Kind::inner) return parse_inner(algorithm, parameter, digits);
  if (parameter.kind == Parameter::Kind::bytes && digits == kOff) return kUnbounded;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool fits = error != std::errc::result_out_of_range;
  if ((fits && error != std::errc{}) || end != digits.data() + digits.size())
    throw Error(ErrorClass::argument, text(algorithm.name, ": ", parameter.name, " is '", digits,
                                           "', not a whole number"));
  if (!fits || value < parameter.least || value > parameter.most)
    throw Error(ErrorClass::argument, text(algorithm.name, ": ", parameter.name, " is ", digits,
                                           ", must be ", range_text(parameter)));
  return value;
}

void parse_parameter(Request& request, std::string_view assignment) {
  const auto equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const auto list = request.algorithm->parameters.list();
  const auto at = std::ranges::find(list, name, &Parameter::name);
  if (at == list.end())
    throw Error(ErrorClass::argument, text(request.algorithm->name, " has no parameter '", name,
                                           "'; it has: ", known_parameters(*request.algorithm)));
  if (equals == std::string_view::npos)
    throw Error(ErrorClass::argument,
                text(request.algorithm->name, ": ", name, " needs a value, as in ", name, "=4"));
  auto& value = request.values[static_cast<std::size_t>(at - list.begin())];
  if (value)
    throw Error(ErrorClass::argument, text(request.algorithm->name, ": ", name, " is given twice"));
  value = parse_value(*request.algorithm, *at, assignment.substr(equals + 1));
}

template <class Values, class Has>
std::string print(const Algorithm& algorithm, const Values& values, Has&& has) {
  std::string out(algorithm.name);
  const auto list = algorithm.parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (has(values[i])) out += text(":", list[i].name, "=", value_text(list[i], *has(values[i])));
  return out;
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

std::string value_text(const Parameter& parameter, std::int64_t value) {
  if (parameter.kind == Parameter::Kind::between)
    return std::string(kBetweenWords[static_cast<std::size_t>(value)]);
  if (parameter.kind == Parameter::Kind::inner)
    return std::string(algorithms()[static_cast<std::size_t>(value)].name);
  if (parameter.kind == Parameter::Kind::bytes && value == kUnbounded) return std::string(kOff);
  return std::to_string(value);
}

std::string range_text(const Parameter& parameter) {
  if (parameter.most == kUnbounded) return text(parameter.least, " or more, or ", kOff);
  return text("in ", parameter.least, "..", parameter.most);
}

std::string default_text(const Parameter& parameter) {
  switch (parameter.rule) {
    case Default::value:
      return value_text(parameter, parameter.value);
    case Default::sqrt_ranks:
      return "sqrt(P)";
    case Default::sqrt_per_node:
      return "sqrt(Q)";
    case Default::nodes:
      return "N";
    case Default::sqrt_nodes:
      return "sqrt(N)";
    case Default::between_nodes:
      return "by N and Q";
    case Default::node_threshold:
      return text(kLongestSharedBlock, ", between nodes ", kThresholdBetweenNodes);
    case Default::whole_phase:
      return "all";
  }
  return "";
}

Request parse(Collective collective, std::string_view specification) {
  const auto name = specification.substr(0, specification.find(':'));
  Request request;
  request.algorithm = registry::find(collective, name);
  if (request.algorithm == nullptr)
    throw Error(ErrorClass::argument, text("no ", registry::to_string(collective), " algorithm '",
                                           name, "'; there are: ", known_names(collective)));
  auto rest = specification.substr(name.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto assignment = rest.substr(0, rest.find(':'));
    parse_parameter(request, assignment);
    rest.remove_prefix(assignment.size());
  }
  return request;
}

std::string Request::text() const {
  return print(*algorithm, values, [](const std::optional<std::int64_t>& value) { return value; });
}

std::string Choice::text() const {
  return print(*algorithm, values, [](std::int64_t value) { return std::optional(value); });
}

std::optional<std::int64_t> Choice::find(Key parameter) const {
  const auto list = algorithm->parameters.list();
  const auto at = std::ranges::find(list, parameter, &Parameter::key);
  if (at == list.end()) return std::nullopt;
  return values[static_cast<std::size_t>(at - list.begin())];
}

int Choice::value(Key parameter, int otherwise) const {
  return static_cast<int>(std::min(find(parameter).value_or(otherwise), kMostInt));
}

std::size_t Choice::threshold() const {
  const auto bytes = find(Key::threshold);
  return bytes ? static_cast<std::size_t>(*bytes) : std::numeric_limits<std::size_t>::max();
}

Choice resolve(const Request& request, const Layout& layout) {
  Choice choice{.algorithm = request.algorithm};
  const auto list = request.algorithm->parameters.list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    choice.values[i] = request.values[i].value_or(default_value(list[i], layout));
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
