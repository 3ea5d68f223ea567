// rondo._group: exchanges without MPI, by librondo_core. rondo/group.py documents them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>

#include "group/group.hpp"

namespace nb = nanobind;
using namespace rondo::python;  // NOLINT: the module has no namespace of its own
using namespace nb::literals;

namespace {

/// Messages may refer to the group, which Python finds out by these.
int traverse(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Group>(self)->messages().ptr());
  return 0;
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Group>(self)->end();
  return 0;
}

PyType_Slot in_cycles[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                           {Py_tp_clear, reinterpret_cast<void*>(&clear)},
                           {0, nullptr}};

}  // namespace

NB_MODULE(_group, module) {
  nb::set_leak_warnings(false);  // a program may end with groups
  module.doc() = "Exchanges without MPI.";
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const GroupFailure& failure) {
      const nb::object type = nb::module_::import_("rondo.group").attr("GroupError");
      PyErr_SetString(type.ptr(), failure.what());
    }
  });
  nb::class_<Group>(module, "Group", "Ranks that exchange without MPI.", nb::type_slots(in_cycles))
      .def(nb::init<int, int, nb::object, nb::object, std::optional<std::string>, double>(),
           "rank"_a, "size"_a, "allgather"_a, "messages"_a.none(), "node"_a.none(),
           "timeout_seconds"_a)
      .def_prop_ro("rank", &Group::rank)
      .def_prop_ro("size", &Group::size)
      .def("free", &Group::free)
      .def("take_part", &Group::take_part,
           "Take part in an exchange with wrong arguments, so that all ranks get an error.")
      .def("alltoall", &Group::alltoall, "send"_a, "recv"_a)
      .def("alltoallv", &Group::alltoallv, "send"_a, "recv"_a)
      .def("alltoallv_dynamic", &Group::alltoallv_dynamic, "send"_a,
           "The bytes that arrive, and how many elements of the size of those that are sent came "
           "from each rank, and where they begin.")
      .def("exchange_rows", &Group::exchange_rows, "sizes"_a.none(), "rows"_a, "row_bytes"_a,
           "address"_a, "arriving"_a.none(), "rows_to"_a, "row_bytes_to"_a, "address_to"_a,
           "Exchange rows of tensors in the memory of the host, whose elements follow each other. "
           "None if the sizes are not plain, and nothing is exchanged; else the bytes that have "
           "come from each rank, or an empty list if they are those expected.");
}
