#include "mpi/plain.hpp"

#include <array>
#include <cstring>
#include <span>
#include <utility>

namespace rondo::python {

using namespace nb::literals;

namespace {

/// What this file uses of mpi4py and of rondo/_datatypes.py, once set_mpi4py() was called.
struct Mpi4py {
  nb::object intracomm;     ///< the class
  nb::object datatype;      ///< the class
  nb::object address_of;    ///< returns where an object stores its handle
  nb::object type_of_code;  ///< returns the datatype of a character of the struct module
};

/// Never destroyed: Python may have ended before.
Mpi4py& mpi4py() {
  static auto& known = *new Mpi4py;
  return known;
}

Address address_of(nb::handle object) {
  return nb::cast<Address>(mpi4py().address_of(object));
}

bool is_a(nb::handle object, const nb::object& type) {
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr()));
}

/// Where a handle of the type is stored, by its character. 0 if it has none.
Address address_of_code(char code) {
  static auto& known = *new std::array<Address, 128>();
  const auto index = static_cast<unsigned char>(code);
  if (index == 0 || index >= known.size()) return 0;
  if (known[index] != 0) return known[index];
  try {
    const nb::object found = mpi4py().type_of_code(nb::str(&code, 1));
    known[index] = address_of(found);
    found.inc_ref();  // predefined, and kept for ever
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    return 0;
  }
  return known[index];
}

/// 0 if the memory is not plain: Python's objects, whatever type is given for them, and no memory, as MPI.BOTTOM's.
Address address_of_type(nb::handle given, const View& view) {
  const char code = view.code();
  if (code == '\0' || code == 'O' || view.bytes() == 0) return 0;
  if (given.is_none()) return address_of_code(code);
  if (is_a(given, mpi4py().datatype)) return address_of(given);
  return 0;
}

/// Without a buffer if there are too few or too many items.
Parts parts_of(nb::handle spec) {
  if (!is_list_or_tuple(spec)) return Parts{nb::borrow(spec)};
  const auto items = items_of(spec);
  const auto item = [&](std::size_t i) { return nb::borrow(items[i]); };
  if (items.size() == 4) return Parts{item(0), item(1), item(2), item(3)};
  if (items.size() != 2 && items.size() != 3) return {};
  Parts parts{item(0), item(1)};
  if (items.size() == 3)
    parts.type = item(2);
  else if (is_a(parts.counts, mpi4py().datatype))
    std::swap(parts.type, parts.counts);
  if (PyTuple_CheckExact(parts.counts.ptr())) {
    const auto pair = items_of(parts.counts);
    if (pair.size() != 2) return {};
    parts.displacements = nb::borrow(pair[1]);
    parts.counts = nb::borrow(pair[0]);
  }
  return parts;
}

/// The count of each of so many equal blocks that fill the memory; nothing if none does.
std::optional<std::int64_t> share(std::size_t bytes, Address type, std::size_t blocks) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  if (MPI_Type_get_extent(handle_at<MPI_Datatype>(type), &lower, &extent) != MPI_SUCCESS ||
      extent <= 0 || bytes % (static_cast<std::size_t>(extent) * blocks) != 0)
    return {};
  return static_cast<std::int64_t>(bytes / static_cast<std::size_t>(extent) / blocks);
}

/// One count, or one for each block.
template <Layout layout>
MaybeIntegers counts_of(const Parts& parts, const View& view, Address type, std::size_t blocks) {
  constexpr bool kIsUniform = layout == Layout::uniform;
  if (!kIsUniform && !parts.counts.is_none()) return integers_of(parts.counts, blocks);
  const auto count =
      parts.counts.is_none() ? share(view.bytes(), type, blocks) : integer_of(parts.counts.ptr());
  return count ? MaybeIntegers(std::in_place, kIsUniform ? 1 : blocks, *count) : MaybeIntegers();
}

/// One side of an exchange, if its specification is plain. Throws as Side does.
template <Layout layout>
std::optional<Side> side_of(const Parts& parts, const View& view, int blocks, const char* name) {
  const Address type = view.is_there() ? address_of_type(parts.type, view) : 0;
  if (type == 0 || handle_at<MPI_Datatype>(type) == MPI_DATATYPE_NULL) return {};
  const auto size = static_cast<std::size_t>(blocks);
  MaybeIntegers counts = counts_of<layout>(parts, view, type, size);
  if (!counts) return {};
  const bool has_displacements = !parts.displacements.is_none();
  MaybeIntegers displacements;
  if (layout == Layout::uniform)
    displacements.emplace(1, 0);
  else if (has_displacements)
    displacements = integers_of(parts.displacements, size);
  if (has_displacements && (layout == Layout::uniform || !displacements)) return {};
  return Side(name, layout, blocks, std::move(*counts), std::move(displacements), {type},
              {view.address(), view.bytes()});
}

}  // namespace

std::optional<PlainComm> plain_comm(nb::handle comm) {
  if (!is_a(comm, mpi4py().intracomm)) return {};
  const Address handle = address_of(comm);
  int ranks = 0;
  if (handle_at<MPI_Comm>(handle) == MPI_COMM_NULL ||
      MPI_Comm_size(handle_at<MPI_Comm>(handle), &ranks) != MPI_SUCCESS)
    return {};
  return PlainComm{handle, ranks};
}

template <Layout layout>
PlainSide<layout>::PlainSide(nb::handle spec, bool is_written, int blocks)
    : parts_(parts_of(spec)),
      view_(parts_.buffer, is_written),
      side_(side_of<layout>(parts_, view_, blocks, is_written ? "receive" : "send")) {}

template <Layout layout>
char PlainSide<layout>::code() const {
  const char code = view_.code();
  const bool is_known = parts_.type.is_none() && std::strchr("?bBhHiIlLqQfdg", code) != nullptr;
  return is_known ? code : '\0';
}

template class PlainSide<Layout::uniform>;
template class PlainSide<Layout::vector>;

void bind_plain(nb::module_& module) {
  nb::class_<Held>(module, "Held", "What a plain exchange uses until it is complete.");
  module.def(
      "set_mpi4py",
      [](const nb::object& intracomm, const nb::object& datatype, const nb::object& address_of,
         const nb::object& type_of_code) {
        mpi4py() = {intracomm, datatype, address_of, type_of_code};
      },
      "intracomm"_a, "datatype"_a, "address_of"_a, "type_of_code"_a,
      "Pass mpi4py's classes and functions; call it once, first.");
}

}  // namespace rondo::python
