#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "choice/choice.hpp"

namespace rondo::choice {

using registry::Algorithm;
using registry::algorithms;
using registry::Collective;
using registry::kBetweenWords;
using registry::kLongestSharedBlock;
using registry::kUnbounded;
using registry::Parameter;
using registry::Rule;

namespace {

using Names = std::vector<std::string_view>;

/// Appends the names that are not there yet.
void add_names(Names& names, Collective collective) {
  for (const Algorithm& algorithm : registry::algorithms_of(collective))
    if (algorithm.collective == collective && std::ranges::count(names, algorithm.name) == 0)
      names.push_back(algorithm.name);
}

[[noreturn]] void refuse_name(Collective collective, std::string_view name) {
  Names names;
  add_names(names, collective);
  throw Error(ErrorClass::argument, text("no ", registry::to_string(collective), " algorithm '",
                                         name, "'", suggestion(name, names)));
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

/// Returns the row of an algorithm over MPI. If there are two of that name, it is the one for uniform blocks.
std::int64_t parse_inner(const Algorithm& algorithm, const Parameter& parameter,
                         std::string_view name) {
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    if (const Algorithm* const row = registry::find(collective, name))
      return row - algorithms().data();
  Names names;
  for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
    add_names(names, collective);
  throw Error(ErrorClass::argument, text(algorithm.name, ": ", parameter.name, " is '", name, "'",
                                         suggestion(name, names)));
}

/// Returns nothing if it is no whole number. One that the type cannot hold is outside the range.
std::optional<std::int64_t> number_of(const Parameter& parameter, std::string_view digits) {
  const std::int64_t outside = parameter.least - 1;
  if (parameter.kind == Parameter::Kind::bytes)
    if (const std::optional<std::size_t> bytes = read_size(digits))
      return *bytes <= static_cast<std::size_t>(parameter.most) ? static_cast<std::int64_t>(*bytes)
                                                                : outside;
  std::int64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc{} ? value : outside;
}

std::int64_t parse_value(const Algorithm& algorithm, const Parameter& parameter,
                         std::string_view digits) {
  if (parameter.kind == Parameter::Kind::between) return parse_word(algorithm, parameter, digits);
  if (parameter.kind == Parameter::Kind::inner) return parse_inner(algorithm, parameter, digits);
  if (parameter.kind == Parameter::Kind::bytes && digits == kOff) return kUnbounded;
  const std::optional<std::int64_t> value = number_of(parameter, digits);
  if (!value)
    throw Error(ErrorClass::argument, text(algorithm.name, ": ", parameter.name, " is '", digits,
                                           "', not a whole number"));
  if (*value < parameter.least || *value > parameter.most)
    throw Error(ErrorClass::argument, text(algorithm.name, ": ", parameter.name, " is ", digits,
                                           ", must be ", range_text(parameter)));
  return *value;
}

void parse_parameter(OpenChoice& open, std::string_view assignment) {
  const auto equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const auto list = open.algorithm->parameters.list();
  const auto at = std::ranges::find(list, name, &Parameter::name);
  if (at == list.end())
    throw Error(ErrorClass::argument, text(open.algorithm->name, " has no parameter '", name,
                                           "'; it has: ", known_parameters(*open.algorithm)));
  if (equals == std::string_view::npos)
    throw Error(ErrorClass::argument,
                text(open.algorithm->name, ": ", name, " needs a value, as in ", name, "=4"));
  auto& value = open.values[static_cast<std::size_t>(at - list.begin())];
  if (value)
    throw Error(ErrorClass::argument, text(open.algorithm->name, ": ", name, " is given twice"));
  value = parse_value(*open.algorithm, *at, assignment.substr(equals + 1));
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
  switch (parameter.by_default.rule) {
    case Rule::number:
      return value_text(parameter, parameter.by_default.number);
    case Rule::sqrt_ranks:
      return "sqrt(P)";
    case Rule::sqrt_per_node:
      return "sqrt(Q)";
    case Rule::nodes:
      return "N";
    case Rule::sqrt_nodes:
      return "sqrt(N)";
    case Rule::between_nodes:
      return "by N and Q";
    case Rule::node_threshold:
      return text(kLongestSharedBlock, ", between nodes ", registry::kThresholdBetweenNodes);
    case Rule::whole_phase:
      return "all";
  }
  return "";
}

OpenChoice parse(Collective collective, std::string_view specification) {
  const auto name = specification.substr(0, specification.find(':'));
  OpenChoice open;
  open.algorithm = registry::find(collective, name);
  if (open.algorithm == nullptr) refuse_name(collective, name);
  auto rest = specification.substr(name.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto assignment = rest.substr(0, rest.find(':'));
    parse_parameter(open, assignment);
    rest.remove_prefix(assignment.size());
  }
  return open;
}

std::string OpenChoice::text() const {
  return print(*algorithm, values, [](const std::optional<std::int64_t>& value) { return value; });
}

std::string Choice::text() const {
  return print(*algorithm, values, [](std::int64_t value) { return std::optional(value); });
}

}  // namespace rondo::choice
