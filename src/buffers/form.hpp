// The three exchanges of the interface, by name. This file needs no MPI.
#pragma once

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "registry/algorithm.hpp"

namespace rondo::buffers {

enum class Form { alltoall, alltoallv, alltoallw };

inline constexpr std::array<const char*, 3> kFormNames = {"alltoall", "alltoallv", "alltoallw"};

/// Throws Error(argument) unless `name` is one of kFormNames. It may be null.
inline Form parse_form(const char* name) {
  const std::string_view given = name == nullptr ? "(null)" : name;
  for (std::size_t form = 0; form < kFormNames.size(); ++form)
    if (given == kFormNames[form]) return static_cast<Form>(form);
  throw Error(ErrorClass::argument,
              text("collective is '", given, "'; it must be alltoall, alltoallv or alltoallw"));
}

inline registry::Collective collective_of(Form form) {
  return form == Form::alltoall ? registry::Collective::alltoall : registry::Collective::alltoallv;
}

}  // namespace rondo::buffers
