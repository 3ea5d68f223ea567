// rondo._core: schedules, the table of algorithms, the cost model, the simulation and the choice of
// algorithms.
#include <nanobind/stl/string.h>

#include "bind.hpp"

namespace nb = nanobind;

namespace rondo::python {

std::string described(nb::handle object, std::span<const char* const> attributes) {
  std::string parts;
  for (const char* const name : attributes)
    parts += text(parts.empty() ? "" : ", ", name, "=", nb::repr(object.attr(name)).c_str());
  return text(nb::str(object.type().attr("__name__")).c_str(), "(", parts, ")");
}

}  // namespace rondo::python

NB_MODULE(_core, module) {
  module.doc() =
      "Schedules, the table of algorithms, the cost model and the choice of algorithms; "
      "nothing here needs MPI.";
  module.attr("version") = RONDO_PYTHON_VERSION;
  module.attr("most_ranks") = rondo::python::kMostRanks;

  // The only errors of these rooms are wrong arguments.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const rondo::Error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  rondo::python::bind_schedule(module);
  rondo::python::bind_node_schedule(module);
  rondo::python::bind_registry(module);
  rondo::python::bind_machine(module);
  rondo::python::bind_model(module);
  rondo::python::bind_select(module);
  rondo::python::bind_simulate(module);
  rondo::python::bind_text(module);
}
