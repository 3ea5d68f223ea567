// The memory of Python's objects, and their integers.
#pragma once

#include <nanobind/nanobind.h>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace rondo::python {

namespace nb = nanobind;

using Address = std::uintptr_t;
using MaybeIntegers = std::optional<std::vector<std::int64_t>>;

bool is_list_or_tuple(nb::handle object);

/// The items of such; borrowed.
std::span<PyObject* const> items_of(nb::handle list_or_tuple);

/// The integer that is of Python's own type, and fits.
std::optional<std::int64_t> integer_of(PyObject* given);

/// The integers of a list, tuple or array of so many; nothing if it is something else.
MaybeIntegers integers_of(nb::handle given, std::size_t count);

/// The contiguous memory of a Python object, if it has such.
class View {
 public:
  View(nb::handle object, bool writable)
      : is_there_(PyObject_GetBuffer(
                      object.ptr(), &view_,
                      PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) == 0) {
    if (!is_there_) PyErr_Clear();
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() {
    if (is_there_) PyBuffer_Release(&view_);
  }

  bool is_there() const { return is_there_; }
  Address address() const { return reinterpret_cast<Address>(view_.buf); }
  std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }
  std::size_t item_bytes() const { return static_cast<std::size_t>(view_.itemsize); }

  /// Whether elements are addresses of Python's objects, or have such as fields: 'O' outside of :names:.
  bool holds_objects() const;

  /// The character of the type of its elements; 0 if it takes more than one.
  char code() const {
    const char* format = view_.format != nullptr ? view_.format : "B";
    if (*format == (std::endian::native == std::endian::little ? '<' : '>')) ++format;
    return *format != '\0' && format[1] == '\0' ? *format : '\0';
  }

  /// Whether these are `count` integers of that type.
  template <std::signed_integral Integer>
  bool are(std::size_t count) const {
    const char* const codes = sizeof(int) == sizeof(Integer) ? "i" : "lq";
    return view_.ndim == 1 && view_.itemsize == sizeof(Integer) && code() != '\0' &&
           std::strchr(codes, code()) != nullptr &&
           static_cast<std::size_t>(view_.shape[0]) == count;
  }
  template <std::signed_integral Integer>
  std::vector<std::int64_t> integers() const {
    const auto* const first = static_cast<const Integer*>(view_.buf);
    return {first, first + view_.shape[0]};
  }

 private:
  Py_buffer view_;
  bool is_there_;
};

}  // namespace rondo::python
