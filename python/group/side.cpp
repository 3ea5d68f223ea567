#include "group/side.hpp"

#include <sstream>

namespace rondo::python {

namespace {

/// A list of the items, which may be any integers, such as numpy's. None if they are something else.
nb::object list_of_integers(nb::handle given) {
  nb::object list = nb::steal(PySequence_List(given.ptr()));
  for (Py_ssize_t i = 0; list.is_valid() && i < PyList_GET_SIZE(list.ptr()); ++i) {
    PyObject* const integer = PyNumber_Index(PyList_GET_ITEM(list.ptr(), i));
    if (integer == nullptr || PyList_SetItem(list.ptr(), i, integer) != 0) list.reset();
  }
  if (list.is_valid()) return list;
  PyErr_Clear();
  return nb::none();
}

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

}  // namespace

Specification::Specification(nb::handle given, bool is_written)
    : name_(is_written ? "receive" : "send"),
      parts_(parts_of(given)),
      view_(parts_[0], is_written) {
  if (view_.is_there() && view_.item_bytes() != 0 && !view_.holds_objects()) return;
  throw nb::type_error(text(name_, ": expecting contiguous", is_written ? ", writable" : "",
                            " memory of numbers, such as an array of numpy (dates as int64), got ",
                            nb::type_name(parts_[0].type()).c_str())
                           .c_str());
}

Specification::Parts Specification::parts_of(nb::handle given) {
  if (!is_list_or_tuple(given)) return {nb::borrow(given), nb::none(), nb::none()};
  const auto items = items_of(given);
  if (items.size() != 2)
    throw nb::type_error("expecting memory, [memory, counts] or [memory, (counts, displs)]");
  Parts parts{nb::borrow(items[0]), nb::borrow(items[1]), nb::none()};
  if (!PyTuple_CheckExact(items[1]) || PyTuple_GET_SIZE(items[1]) != 2) return parts;
  const auto pair = items_of(parts[1]);
  if (PyLong_CheckExact(pair[0])) return parts;  // the counts of two ranks
  return {parts[0], nb::borrow(pair[0]), nb::borrow(pair[1])};
}

std::size_t Specification::bytes_of_equal_blocks(int ranks) const {
  if (!parts_[1].is_none())
    throw nb::type_error(text(name_, ": all blocks are equal, so it takes no counts").c_str());
  const auto count = static_cast<std::size_t>(ranks);
  const std::size_t elements = view_.bytes() / view_.item_bytes();
  if (elements % count != 0)
    throw nb::value_error(
        text(name_, " has ", elements, " elements, which ", ranks, " ranks cannot share equally")
            .c_str());
  return view_.bytes() / count;
}

std::vector<std::int64_t> Specification::numbers(const char* what, nb::handle given,
                                                 int ranks) const {
  const auto count = static_cast<std::size_t>(ranks);
  auto numbers = integers_of(given, count);
  if (!numbers) numbers = integers_of(list_of_integers(given), count);
  if (!numbers)
    throw nb::type_error(
        text(name_, ": expecting ", ranks, " integers as ", what, ", in a list, tuple or array")
            .c_str());
  for (const std::int64_t number : *numbers)
    if (number < 0)
      throw nb::value_error(text(name_, ": ", number, " is among the ", what).c_str());
  return std::move(*numbers);
}

Blocks Specification::blocks(int ranks) const {
  const auto count = static_cast<std::size_t>(ranks);
  Blocks blocks{.address = view_.address(),
                .lengths = std::vector<std::size_t>(count),
                .displacements = std::vector<std::size_t>(count)};
  const std::size_t unit = view_.item_bytes();
  const std::size_t elements = view_.bytes() / unit;
  const auto counts =
      parts_[1].is_none()
          ? std::vector(count, static_cast<std::int64_t>(bytes_of_equal_blocks(ranks) / unit))
          : numbers("counts", parts_[1], ranks);
  const bool has_displacements = !parts_[2].is_none();
  const auto given =
      has_displacements ? numbers("displacements", parts_[2], ranks) : std::vector<std::int64_t>();
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const auto first = has_displacements ? static_cast<std::size_t>(given[rank]) : next;
    const auto length = static_cast<std::size_t>(counts[rank]);
    if (length != 0 && (first > elements || length > elements - first))
      throw nb::value_error(text(name_, ": the block of rank ", rank, " has ", length,
                                 " elements from ", first, " on, but the memory has ", elements)
                                .c_str());
    blocks.lengths[rank] = length * unit;
    blocks.displacements[rank] = length == 0 ? 0 : first * unit;
    next = first + length;
  }
  return blocks;
}

void Specification::require_apart(const Specification& send, const Specification& recv) {
  const Address sent = send.view_.address();
  const Address received = recv.view_.address();
  if (sent < received + recv.view_.bytes() && received < sent + send.view_.bytes())
    throw nb::value_error("the memory that is sent and the memory that is received overlap");
}

}  // namespace rondo::python
