// Plain specifications: contiguous buffers of named types, with counts and displacements in lists, tuples or arrays of
// integers. Python takes ten times as long to read them. Everything else, and what is wrong, is left to
// rondo/_specs.py, which reads all that mpi4py accepts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mpi/calls.hpp"
#include "objects/view.hpp"

namespace rondo::python {

/// An intra-communicator of mpi4py.
struct PlainComm {
  Address handle;
  int ranks;
};
std::optional<PlainComm> plain_comm(nb::handle comm);

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
