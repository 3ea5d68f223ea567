// What Rondo needs to know of an MPI datatype, and packing.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <limits>

#include "base/bytes.hpp"

namespace rondo::buffers {

struct TypeInfo {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::size_t size = 0;
  MPI_Aint extent = 0;
  /// Whether memcpy can replace packing: `count` elements are `count * size` consecutive bytes in
  /// typemap order. This holds for a named type whose size equals its extent, and for a contiguous
  /// or dup of such a type. It does not hold for every type with size == extent: an indexed type
  /// may permute its bytes.
  bool is_contiguous = false;
  bool is_predefined = false;
};

/// Asks MPI about a type, which must not be MPI_DATATYPE_NULL.
TypeInfo describe(MPI_Datatype type);

/// The bytes [low, high) that `count` elements may touch, as offsets from the address of the first.
struct Bounds {
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 0;

  bool operator==(const Bounds&) const = default;
};
Bounds bounds_of(const TypeInfo& type, std::size_t count);

/// MPI_Pack counts bytes in int, so elements are packed in pieces. Tests lower the limits.
struct PackingLimits {
  std::size_t piece_bytes = std::size_t{1} << 30;  ///< of a piece of several elements
  /// An element with more bytes is not packed: this rank sends it to itself. Such elements must
  /// be pieces of their own.
  std::size_t element_bytes = std::numeric_limits<int>::max();
};

/// Packs `count` elements at `from` into bytes at `to`.
void pack(const TypeInfo& type, const std::byte* from, std::size_t count, std::byte* to,
          MPI_Comm comm, const PackingLimits& limits = {});

/// Unpacks bytes at `from` into `count` elements at `to`.
void unpack(const TypeInfo& type, const std::byte* from, std::size_t count, std::byte* to,
            MPI_Comm comm, const PackingLimits& limits = {});

/// Whether MPI_Pack writes MPI_Type_size raw bytes in typemap order, as Rondo assumes. Tests this
/// with a struct that has gaps and its members in reverse order.
bool packs_raw_bytes(MPI_Comm comm);

}  // namespace rondo::buffers
