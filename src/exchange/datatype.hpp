// MPI datatypes of blocks of bytes, of any length.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

namespace rondo::exchange {

/// A committed datatype that owns its handle.
class Datatype {
 public:
  /// `bytes` consecutive bytes at each of `displacements`; bytes may exceed 2^31.
  Datatype(std::size_t bytes, std::span<const MPI_Aint> displacements);
  ~Datatype();
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace rondo::exchange
