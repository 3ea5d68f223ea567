// The registry as text for people.
#pragma once

#include <string>

namespace rondo::bench {

/// All algorithms by collective: name, parameters, idea, source and cost.
std::string list_algorithms();

/// The same of those that exchange the memory of GPUs.
std::string list_gpu_algorithms();

}  // namespace rondo::bench
