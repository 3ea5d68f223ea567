// Which algorithm `auto` stands for.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "registry/choice.hpp"

namespace rondo::select {

/// What all ranks know of a call without talking.
struct Question {
  registry::Collective collective;
  registry::Layout layout;
  std::optional<std::size_t> block_bytes;   ///< of a uniform exchange
  std::optional<std::size_t> largest_seen;  ///< what the last exchange told everybody
};

/// The name of the algorithm, to be run with default parameters.
std::string_view choose(const Question& question);

/// The same where there is no memory that the ranks of a node share.
std::string_view without_node(const Question& question);

}  // namespace rondo::select
