// The three exchanges of the interface, by name. This file needs no MPI.
#pragma once

#include <array>

#include "registry/algorithm.hpp"

namespace rondo::buffers {

enum class Form { alltoall, alltoallv, alltoallw };

inline constexpr std::array<const char*, 3> kFormNames = {"alltoall", "alltoallv", "alltoallw"};

inline registry::Collective collective_of(Form form) {
  return form == Form::alltoall ? registry::Collective::alltoall : registry::Collective::alltoallv;
}

}  // namespace rondo::buffers
