// Datatypes of several bytes, so that alltoallw has types to tell apart.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

namespace rondo::bench {

/// Contiguous runs of 1, 2, 4 and 8 bytes. All have the signature of so many MPI_BYTE, so that the
/// two ends of a block may use different ones.
class ByteTypes {
 public:
  ByteTypes();
  ~ByteTypes();
  ByteTypes(const ByteTypes&) = delete;
  ByteTypes& operator=(const ByteTypes&) = delete;

  struct Choice {
    MPI_Datatype type;
    std::size_t bytes;
  };

  /// A type whose length divides `block_bytes`: the one that `variety` falls on, if it does, else
  /// MPI_BYTE.
  Choice choose(std::size_t block_bytes, int variety) const;

 private:
  std::array<MPI_Datatype, 4> types_;  // of 2^index bytes
};

}  // namespace rondo::bench
