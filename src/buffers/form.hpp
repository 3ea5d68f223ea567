// The exchanges of the interface, by the names by which users choose algorithms. This file needs no
// MPI.
#pragma once

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "registry/algorithm.hpp"

namespace rondo::buffers {

/// neighbor_alltoallv stands for all three neighbourhood exchanges.
enum class Form { alltoall, alltoallv, alltoallw, sparse_alltoallv, neighbor_alltoallv };

inline constexpr std::array<const char*, 5> kFormNames = {"alltoall", "alltoallv", "alltoallw",
                                                          "sparse_alltoallv", "neighbor_alltoallv"};

/// The forms of exchanges that can be started.
inline constexpr std::array kStartedForms = {Form::alltoall, Form::alltoallv, Form::alltoallw};

/// Throws Error(argument) unless `name` is one of kFormNames. It may be null.
inline Form parse_form(const char* name) {
  const std::string_view given = name == nullptr ? "(null)" : name;
  std::string known;
  for (std::size_t form = 0; form < kFormNames.size(); ++form) {
    if (given == kFormNames[form]) return static_cast<Form>(form);
    known.append(form == 0 ? "" : ", ").append(kFormNames[form]);
  }
  throw Error(ErrorClass::argument, text("collective is '", given, "'; it must be one of ", known));
}

/// The algorithms of alltoallv serve alltoallw, too.
inline registry::Collective collective_of(Form form) {
  using enum registry::Collective;
  constexpr std::array kCollectives = {alltoall, alltoallv, alltoallv, sparse_alltoallv,
                                       neighbor_alltoallv};
  return kCollectives[static_cast<std::size_t>(form)];
}

}  // namespace rondo::buffers
