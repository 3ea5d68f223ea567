// The three exchanges that can be measured, by their names on the command line.
#pragma once

#include <string_view>

#include "registry/algorithm.hpp"

namespace rondo::bench {

enum class Call { alltoall, alltoallv, alltoallw };

constexpr std::string_view to_string(Call call) {
  switch (call) {
    case Call::alltoall:
      return "alltoall";
    case Call::alltoallv:
      return "alltoallv";
    case Call::alltoallw:
      break;
  }
  return "alltoallw";
}

/// The part of the registry whose algorithms perform `call`.
constexpr registry::Collective collective_of(Call call) {
  return call == Call::alltoall ? registry::Collective::alltoall : registry::Collective::alltoallv;
}

}  // namespace rondo::bench
