// An algorithm with parameters: from text ("two_layer_bruck:intra=4:inter=8") to values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "registry/algorithm.hpp"
#include "schedule/node_schedule.hpp"
#include "schedule/schedule.hpp"

namespace rondo::choice {

/// The shape of a communicator, as far as defaults depend on it: P ranks = N nodes x Q per node.
/// Nodes of unequal size count as N = P / Q nodes of Q ranks, Q the greatest common divisor of the
/// sizes; `uneven_nodes` is their real number.
struct Layout {
  int ranks = 1;
  int nodes = 1;
  int per_node = 1;
  int uneven_nodes = 0;  ///< 0 where all nodes have Q ranks

  int real_nodes() const { return uneven_nodes != 0 ? uneven_nodes : nodes; }

  bool operator==(const Layout&) const = default;
};

Layout layout_of(const schedule::NodeMap& nodes);

/// An algorithm and the parameters that somebody asked for; the others are open.
struct Request {
  const registry::Algorithm* algorithm = nullptr;
  std::array<std::optional<std::int64_t>, registry::kMaxParameters> values{};

  /// In the order of Algorithm::parameters, the given ones only: "fused_bruck:radix=4".
  std::string text() const;
};

/// Parse "NAME[:PARAMETER=VALUE]...". Throws Error(argument) that names what is wrong and lists
/// what there is.
Request parse(registry::Collective collective, std::string_view text);

/// A value as it is written: a number, or the word that stands for it.
std::string value_text(const registry::Parameter& parameter, std::int64_t value);

/// The values that a parameter takes where it is a number: "2..2147483647", "0 or more, or off".
std::string range_text(const registry::Parameter& parameter);

/// What a parameter is when it is not given: "sqrt(P)", "all", a value.
std::string default_text(const registry::Parameter& parameter);

/// An algorithm and the value of every parameter.
struct Choice {
  const registry::Algorithm* algorithm = nullptr;
  std::array<std::int64_t, registry::kMaxParameters> values{};

  /// The value of a parameter that is not in bytes, or `otherwise` where the algorithm has no such
  /// parameter. A value beyond int is taken as the largest int.
  int value(registry::Key parameter, int otherwise) const;

  /// The value of Key::threshold; no bound where the algorithm has no such parameter.
  std::size_t threshold() const {
    const int at = algorithm->threshold_at;
    return at < 0 ? SIZE_MAX : static_cast<std::size_t>(values[static_cast<std::size_t>(at)]);
  }

  /// All parameters: "two_layer_bruck:intra=4:inter=8:ports=7".
  std::string text() const;

  bool operator==(const Choice&) const = default;

 private:
  std::optional<std::int64_t> find(registry::Key parameter) const;
};

/// What a value of the tables is on a layout.
std::int64_t value_on(const registry::Value& value, const Layout& layout);

/// Whether the value of one of the choice's parameters means anything on a layout; see
/// registry::Needs.
bool matters(const registry::Parameter& parameter, const Choice& choice, const Layout& layout);

/// Fill what is open with the defaults for `layout`, and bring what is too large down to the value
/// as which it acts.
Choice resolve(const Request& request, const Layout& layout);

/// The schedule of an algorithm for which has_flat_schedule() holds.
schedule::Schedule schedule_of(const Choice& choice, const Layout& layout);

/// The schedule of an algorithm of Shape::node.
schedule::NodeSchedule node_schedule_of(const Choice& choice, const schedule::NodeMap& nodes);

}  // namespace rondo::choice
