// One side of an exchange of numpy's arrays without MPI, as Python's code gives it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "objects/view.hpp"

namespace rondo::python {

/// One block for each rank, in bytes.
struct Blocks {
  Address address = 0;
  std::vector<std::size_t> lengths;
  std::vector<std::size_t> displacements;

  void* buffer() const { return reinterpret_cast<void*>(address); }
};

/// Memory, [memory, counts] or [memory, (counts, displacements)]. Counts and displacements count the memory's elements.
class Specification {
 public:
  /// Holds the memory. A side that is written is the receive side. Raises TypeError.
  Specification(nb::handle given, bool is_written);

  std::size_t item_bytes() const { return view_.item_bytes(); }

  /// The blocks without counts: as many elements for each rank. Both raise ValueError or TypeError.
  std::size_t bytes_of_equal_blocks(int ranks) const;
  Blocks blocks(int ranks) const;

  /// Raises ValueError if they have memory in common.
  static void require_apart(const Specification& send, const Specification& recv);

  void* buffer() const { return reinterpret_cast<void*>(view_.address()); }

 private:
  using Parts =
      std::array<nb::object, 3>;  ///< memory, counts, displacements; None if it is not there

  static Parts parts_of(nb::handle given);
  std::vector<std::int64_t> numbers(const char* what, nb::handle given, int ranks) const;

  std::string name_;
  Parts parts_;
  View view_;
};

}  // namespace rondo::python
