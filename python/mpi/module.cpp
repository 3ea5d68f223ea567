// rondo._mpi: the exchanges. rondo/_specs.py has parsed mpi4py's buffer specifications, and keeps
// alive what they point to. The handles of mpi4py's objects are passed as the addresses at which
// the objects store them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <utility>
#include <vector>

#include "mpi/calls.hpp"
#include "mpi/plain.hpp"

using namespace rondo::python;  // NOLINT: the module has no namespace of its own
using namespace nb::literals;

namespace {

void prepare(Address comm, Address info) {
  require_success(Rondo_Comm_prepare(handle_at<MPI_Comm>(comm), handle_at<MPI_Info>(info)));
}

void set_algorithm(Address comm, const std::string& collective, const std::string& algorithm) {
  require_success(
      Rondo_Comm_set_algorithm(handle_at<MPI_Comm>(comm), collective.c_str(), algorithm.c_str()));
}

bool is_world(Address comm) {
  return handle_at<MPI_Comm>(comm) == MPI_COMM_WORLD;
}

std::vector<std::int64_t> values_of(const Integers& array) {
  return {array.data(), array.data() + array.shape(0)};
}

void make_side(Side* place, const std::string& name, Layout layout, int ranks,
               const Integers& counts, const std::optional<Integers>& displacements,
               const std::vector<Address>& types, Address buffer,
               std::optional<std::size_t> bytes) {
  std::optional<std::vector<std::int64_t>> starts;
  if (displacements) starts = values_of(*displacements);
  new (place)
      Side(name, layout, ranks, values_of(counts), std::move(starts), types, {buffer, bytes});
}

Side packed(const std::string& name, std::vector<std::int64_t> sizes, std::int64_t elements,
            Address type, Address buffer, std::size_t bytes) {
  for (std::int64_t& size : sizes) size *= elements;
  return {name, Layout::vector, 1, std::move(sizes), std::nullopt, {type}, {buffer, bytes}};
}

void bind_sides(nb::module_& module) {
  nb::enum_<Layout>(module, "Layout", "The unit of displacements, and the collective.")
      .value("uniform", Layout::uniform)
      .value("vector", Layout::vector)
      .value("typed", Layout::typed)
      .value("addressed", Layout::addressed);
  nb::class_<Side>(module, "Side", "One side of an exchange.")
      .def("__init__", &make_side, "name"_a, "layout"_a, "ranks"_a, "counts"_a,
           "displacements"_a.none(), "types"_a, "buffer"_a, "bytes"_a.none(),
           "Blocks in this buffer, or in MPI.BOTTOM if its size is None. Raises ValueError if the "
           "buffer is too small.")
      .def_static("packed", &packed, "name"_a, "sizes"_a, "elements"_a, "type"_a, "buffer"_a,
                  "bytes"_a,
                  "Blocks of so many times `elements` elements, which follow each other.")
      .def_prop_ro("address", &Side::address, "The buffer's address for MPI.")
      .def(
          "place",
          [](const Side& side, Address buffer, std::optional<std::size_t> bytes) {
            return side.place({buffer, bytes});
          },
          "buffer"_a, "bytes"_a.none(),
          "Another buffer's address for MPI. Raises ValueError if the buffer is too small.");
}

}  // namespace

NB_MODULE(_mpi, module) {
  nb::set_leak_warnings(false);  // a program that ends amid exchanges leaves them to the system
  module.doc() = "The exchanges, with arguments that rondo/_specs.py has parsed.";
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      const nb::object type = nb::module_::import_("rondo.errors").attr("Error");
      PyErr_SetObject(type.ptr(), nb::make_tuple(failure.code, failure.what()).ptr());
    }
  });
  module.attr("in_place") = reinterpret_cast<Address>(MPI_IN_PLACE);
  module.def(
      "keep", [](nb::object object) { object.release(); }, "object"_a,
      "Keep an object alive beyond the end of Python, which comes before MPI_Finalize.");
  module.def("is_world", &is_world, "comm"_a, "Whether the handle is this MPI's MPI_COMM_WORLD.");
  bind_sides(module);
  nb::class_<Request>(module, "Request", "A nonblocking exchange of librondo.")
      .def("wait", &Request::wait, WithoutGil())
      .def("test", &Request::test, WithoutGil());
  bind_plain(module);
  bind_known(module);
  bind_arriving(module);
  bind_rows(module);
  module.def("prepare", &prepare, "comm"_a, "info"_a, WithoutGil());
  module.def("set_algorithm", &set_algorithm, "comm"_a, "collective"_a, "algorithm"_a,
             WithoutGil());
}
