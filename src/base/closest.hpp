// The name that was meant, for messages about a name that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rondo {

/// Returns the name that differs from `given` in the fewest letters, case aside, if these are at most a
/// third of it. Else returns nothing.
std::string_view closest(std::string_view given, std::span<const std::string_view> names);

/// " (did you mean NAME?); there are: NAMES", or "; there are: NAMES" if none is close.
std::string suggestion(std::string_view given, std::span<const std::string_view> names);

}  // namespace rondo
