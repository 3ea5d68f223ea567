// What --variants answers: what is worth running on the ranks that ask.
#pragma once

#include <string>

#include "options.hpp"
#include "select/variants.hpp"

namespace rondo::bench {

/// The variants that tuning considers at each S of the options, the load being theirs: names, or JSON
/// with an object a line.
std::string list_variants(const Options& options, const select::Place& place);

}  // namespace rondo::bench
