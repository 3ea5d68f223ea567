// The parts of rondo._core, the module that needs no MPI.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "base/error.hpp"
#include "registry/algorithm.hpp"

namespace rondo::python {

void bind_schedule(nanobind::module_& module);
void bind_node_schedule(nanobind::module_& module);
void bind_registry(nanobind::module_& module);
void bind_machine(nanobind::module_& module);
void bind_model(nanobind::module_& module);

/// alltoall, alltoallv or alltoallw.
registry::Collective collective_of(std::string_view name);

/// Inside, arguments have been checked before they reach a schedule; here nobody has done so yet.
inline void require_at_least(std::string_view what, int value, int least) {
  if (value < least)
    throw Error(ErrorClass::argument, text(what, " is ", value, ", must be at least ", least));
}

}  // namespace rondo::python
