// Datatypes as the tests know them: each with its type map written out by hand, so that the
// reference asks neither MPI nor the library where a byte belongs.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::testing {

/// Consecutive bytes of one element, `offset` bytes from where the element is said to be.
struct Run {
  std::ptrdiff_t offset;
  std::size_t bytes;
};

struct ElementType {
  const char* name;
  std::ptrdiff_t extent;
  std::vector<Run> runs;  ///< in type-map order, which is the order on the wire

  /// A committed handle whose offsets start at `address` (0 but for absolute types); to be freed
  /// with free_type.
  MPI_Datatype (*make)(MPI_Aint address);

  std::size_t size() const;
  /// The first byte touched and the byte after the last one, over `count` elements.
  std::ptrdiff_t low() const;
  std::ptrdiff_t high(std::ptrdiff_t count) const;
  /// Whether elements that lie side by side share bytes: legal to send only.
  bool overlaps() const;
};

/// What the two sides of an exchange use. Both have the same signature when the bytes are equal.
struct TypeRow {
  const char* name;
  const ElementType* send;
  const ElementType* receive;
  bool absolute = false;  ///< the types hold addresses; the buffers are MPI_BOTTOM

  /// The least bytes that are whole elements on both sides (1 for types without bytes).
  std::size_t unit_bytes() const;
};

std::span<const TypeRow> type_rows();

/// Frees a handle of ElementType::make; leaves MPI's own types alone.
void free_type(MPI_Datatype& type);

/// Whether MPI's size and extent of `type` are those written here; the tests' own check.
bool agrees_with_mpi(const ElementType& type);

}  // namespace rondo::testing
