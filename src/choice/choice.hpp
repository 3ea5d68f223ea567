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

/// The shape of a communicator, on which defaults depend: P ranks = N nodes x Q ranks per node. If the
/// nodes have different sizes, Q is the greatest common divisor of the sizes, N is P / Q, and
/// `uneven_nodes` is the real number of nodes.
struct Layout {
  int ranks = 1;
  int nodes = 1;
  int per_node = 1;
  int uneven_nodes = 0;  ///< 0 if all nodes have Q ranks

  int real_nodes() const { return uneven_nodes != 0 ? uneven_nodes : nodes; }

  bool operator==(const Layout&) const = default;
};

Layout layout_of(const schedule::NodeMap& nodes);

/// A choice with open parameters: an algorithm and the values that are given.
struct OpenChoice {
  const registry::Algorithm* algorithm = nullptr;
  std::array<std::optional<std::int64_t>, registry::kMaxParameters> values{};

  /// Lists the given parameters, in the order of Algorithm::parameters: "fused_bruck:radix=4".
  std::string text() const;
};

/// Parses "NAME[:PARAMETER=VALUE]...". Throws Error(argument), which names what is wrong and lists
/// what is valid.
OpenChoice parse(registry::Collective collective, std::string_view text);

/// Returns a value as users write it: a number, or the word that stands for it.
std::string value_text(const registry::Parameter& parameter, std::int64_t value);

/// Returns the valid values of a numeric parameter: "2..2147483647", "0 or more, or off".
std::string range_text(const registry::Parameter& parameter);

/// Returns the default of a parameter: "sqrt(P)", "all", or a value.
std::string default_text(const registry::Parameter& parameter);

/// An algorithm and the value of every parameter.
struct Choice {
  const registry::Algorithm* algorithm = nullptr;
  std::array<std::int64_t, registry::kMaxParameters> values{};

  /// Returns the value of a parameter that is not in bytes, or `otherwise` if the algorithm has no such
  /// parameter. A value beyond the range of int becomes the largest int.
  int value(registry::Key parameter, int otherwise) const;

  /// Returns the value of Key::threshold, or no bound if the algorithm has no such parameter.
  std::size_t threshold() const {
    const int at = algorithm->threshold_at;
    return at < 0 ? SIZE_MAX : static_cast<std::size_t>(values[static_cast<std::size_t>(at)]);
  }

  /// Lists all parameters: "two_layer_bruck:intra=4:inter=8:ports=7".
  std::string text() const;

  bool operator==(const Choice&) const = default;

 private:
  std::optional<std::int64_t> find(registry::Key parameter) const;
};

/// Returns what a value of the tables is on a layout.
std::int64_t value_on(const registry::Value& value, const Layout& layout);

/// Whether the value of one of the choice's parameters has an effect on a layout; see
/// registry::Needs.
bool matters(const registry::Parameter& parameter, const Choice& choice, const Layout& layout);

/// Fills open parameters with the defaults for `layout`. Reduces a value that is too large to the largest
/// one that makes a difference.
Choice resolve(const OpenChoice& open, const Layout& layout);

/// Returns the schedule of an algorithm for which has_flat_schedule() holds.
schedule::Schedule schedule_of(const Choice& choice, const Layout& layout);

/// Returns the schedule of an algorithm of Shape::node.
schedule::NodeSchedule node_schedule_of(const Choice& choice, const schedule::NodeMap& nodes);

}  // namespace rondo::choice
