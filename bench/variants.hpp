// The answer of --variants: what is worth running on these ranks.
#pragma once

#include <string>

#include "options.hpp"
#include "select/variants.hpp"

namespace rondo::bench {

/// Lists the variants that tuning considers for the options' load at each S, in the options'
/// format.
std::string list_variants(const Options& options, const select::Place& place);

}  // namespace rondo::bench
