// The registry as text for people.
#pragma once

#include <string>

namespace rondo::bench {

/// All algorithms by collective: name, parameters, idea, source and cost.
std::string list_algorithms();

}  // namespace rondo::bench
