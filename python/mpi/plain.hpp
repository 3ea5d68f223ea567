// Plain specifications: contiguous buffers of named types, with counts and displacements in lists, tuples or arrays of
// integers. Python takes ten times as long to read them. Everything else, and what is wrong, is left to
// rondo/_specs.py, which reads all that mpi4py accepts.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/calls.hpp"

namespace rondo::python {

using MaybeIntegers = std::optional<std::vector<std::int64_t>>;

/// The integers of a list, tuple or array of so many; nothing if it is something else.
MaybeIntegers integers_of(nb::handle given, std::size_t count);

/// An intra-communicator of mpi4py.
struct PlainComm {
  Address handle;
  int ranks;
};
std::optional<PlainComm> plain_comm(nb::handle comm);

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
  Memory memory() const {
    return {reinterpret_cast<Address>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

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

/// The parts of a specification; None if one is missing. They are held, because the list that they are from may change
/// while a part's own code runs.
struct Parts {
  nb::object buffer = nb::none();
  nb::object counts = nb::none();
  nb::object displacements = nb::none();
  nb::object type = nb::none();
};

/// One side of an exchange, and the memory that it uses.
template <Layout layout>
class PlainSide {
 public:
  /// A side that is written is the receive side. Throws as Side does.
  PlainSide(nb::handle spec, bool is_written, int blocks);

  bool is_plain() const { return side_.has_value(); }
  /// If it is plain.
  const Side& side() const { return *side_; }

  /// The character of the type of its elements, if the specification names none and numpy has it; 0 otherwise.
  char code() const;

 private:
  Parts parts_;
  View view_;
  std::optional<Side> side_;
};

/// What a plain exchange uses until it is complete.
struct Held {
  std::shared_ptr<const void> exchange;
};

/// Defines Held, and how this module learns mpi4py's classes and functions.
void bind_plain(nb::module_& module);

}  // namespace rondo::python
