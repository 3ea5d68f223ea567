// What Rondo needs to know of an MPI datatype, and packing.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "base/bytes.hpp"

namespace rondo::buffers {

struct TypeInfo {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::size_t size = 0;
  MPI_Aint extent = 0;
  /// `count` elements are `count * size` consecutive bytes in typemap order, so memcpy serves: a
  /// named type whose size is its extent, or contiguous or dup of one. Other types with size ==
  /// extent are not: think of a permuted indexed type.
  bool is_contiguous = false;
  bool is_predefined = false;
};

/// Ask MPI about a type that is not MPI_DATATYPE_NULL.
TypeInfo describe(MPI_Datatype type);

/// The bytes that `count` elements may touch: those from `low` on, below `high`, as offsets from where
/// the first is said to be.
struct Bounds {
  std::ptrdiff_t low = 0;
  std::ptrdiff_t high = 0;
};
Bounds bounds_of(const TypeInfo& type, std::size_t count);

/// Write `count` elements at `from` as packed bytes to `to`.
void pack(const TypeInfo& type, const std::byte* from, std::size_t count, std::byte* to,
          MPI_Comm comm);

/// The reverse.
void unpack(const TypeInfo& type, const std::byte* from, std::size_t count, std::byte* to,
            MPI_Comm comm);

/// Whether MPI_Pack writes the raw bytes, size of them and in typemap order, as everything here
/// supposes. Tried on a struct with gaps whose members stand in reverse order.
bool packs_raw_bytes(MPI_Comm comm);

}  // namespace rondo::buffers
