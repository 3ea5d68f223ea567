// The exchanges that can be measured, and the algorithms of the registry, by their names on the command
// line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/algorithm.hpp"

namespace rondo::bench {

enum class Call { alltoall, alltoallv, alltoallw };

std::string_view to_string(Call call);

/// The part of the registry whose algorithms perform `call`.
registry::Collective collective_of(Call call);

/// The library's own call, and the choice that Rondo makes itself.
inline constexpr std::string_view kMpi = "mpi";
inline constexpr std::string_view kAuto = "auto";

struct Asked {
  std::string text;       ///< an algorithm as it was asked for, or "auto"
  bool from_all = false;  ///< by `all`: left out with a reason where it does not apply
};

/// Names between commas, parameters behind colons; `all` stands for every row of the registry, and
/// auto. What is named twice takes part once. `mpi` is always among the result. Throws Error(argument) that
/// says which name or parameter is wrong.
std::vector<Asked> select_algorithms(registry::Collective collective, std::string_view list);

/// All algorithms by collective: name, parameters, idea, source and cost.
std::string list_algorithms();

/// The same of those that exchange the memory of GPUs.
std::string list_gpu_algorithms();

}  // namespace rondo::bench
