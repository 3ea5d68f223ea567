#include "objects/view.hpp"

#include <string_view>

namespace rondo::python {

namespace {

MaybeIntegers integers_in(std::span<PyObject* const> items) {
  std::vector<std::int64_t> values;
  values.reserve(items.size());
  for (PyObject* const item : items) {
    const auto value = integer_of(item);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

}  // namespace

bool is_list_or_tuple(nb::handle object) {
  return PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr());
}

std::span<PyObject* const> items_of(nb::handle list_or_tuple) {
  return {PySequence_Fast_ITEMS(list_or_tuple.ptr()),
          static_cast<std::size_t>(PySequence_Fast_GET_SIZE(list_or_tuple.ptr()))};
}

std::optional<std::int64_t> integer_of(PyObject* given) {
  if (!PyLong_CheckExact(given)) return {};
  int overflow = 0;
  const std::int64_t value = PyLong_AsLongLongAndOverflow(given, &overflow);
  return overflow == 0 ? std::optional(value) : std::nullopt;
}

bool View::holds_objects() const {
  bool is_in_name = false;
  for (const char c : std::string_view(view_.format != nullptr ? view_.format : "")) {
    if (c == ':') is_in_name = !is_in_name;
    if (c == 'O' && !is_in_name) return true;
  }
  return false;
}

MaybeIntegers integers_of(nb::handle given, std::size_t count) {
  if (is_list_or_tuple(given)) {
    const auto items = items_of(given);
    return items.size() == count ? integers_in(items) : MaybeIntegers();
  }
  const View view(given, false);
  if (!view.is_there()) return {};
  if (view.are<std::int64_t>(count)) return view.integers<std::int64_t>();
  if (view.are<int>(count)) return view.integers<int>();
  return {};
}

}  // namespace rondo::python
