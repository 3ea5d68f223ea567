// One side of an exchange: how its blocks are placed in a buffer.
#pragma once

#include <mpi.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "objects/view.hpp"

namespace rondo::python {

#if MPI_VERSION >= 4
using Count = MPI_Count;
using Displacement = MPI_Aint;
#else
using Count = int;
using Displacement = int;
#endif

using Integers = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig,
                                   nanobind::device::cpu>;

/// The error code of a Rondo function. It becomes rondo.Error, which is an mpi4py.MPI.Exception.
struct Failure : std::runtime_error {
  Failure(int mpi_class, const std::string& text) : std::runtime_error(text), code(mpi_class) {}
  int code;
};

/// mpi4py's objects expose the address at which they store their handle.
template <class Handle>
Handle handle_at(Address address) {
  return *reinterpret_cast<const Handle*>(address);
}

/// The unit of displacements, and thus the collective that the side is for.
enum class Layout {
  uniform,   ///< alltoall: one count, one type, and where the first block begins, in elements
  vector,    ///< alltoallv: one type, displacements in elements
  typed,     ///< alltoallw: displacements in bytes
  addressed  ///< neighbor_alltoallw: displacements in bytes, as addresses with int counts too
};

/// A buffer and its size in bytes; without a size, MPI.BOTTOM.
struct Memory {
  Address buffer;
  std::optional<std::size_t> bytes;
};

class Side {
 public:
  /// `name` is "send" or "receive", for messages; `ranks` is the number of blocks. Without
  /// displacements they follow each other. Throws std::invalid_argument if a block is outside the
  /// memory, and Failure if a number is too large for the MPI library.
  Side(const std::string& name, Layout layout, int ranks, std::vector<std::int64_t> counts,
       std::optional<std::vector<std::int64_t>> displacements, const std::vector<Address>& types,
       const Memory& memory);

  /// Returns the address of other memory for MPI. Throws as the constructor does.
  Address place(const Memory& memory) const;

  Address address() const { return buffer_; }
  void* buffer() const { return reinterpret_cast<void*>(buffer_); }
  std::size_t bytes() const { return bytes_; }
  Count count() const { return counts_.at(0); }
  MPI_Datatype type() const { return types_.at(0); }
  MPI_Aint extent() const { return extents_.at(0).extent; }
  std::size_t blocks() const { return counts_.size(); }
  const Count* counts() const { return counts_.data(); }
  const Displacement* displacements() const { return displacements_.data(); }
  const MPI_Aint* addresses() const { return addresses_.data(); }
  const MPI_Datatype* types() const { return types_.data(); }

 private:
  /// The first byte that a block touches, and the byte after its last, relative to the buffer.
  struct Span {
    __int128 begin;
    __int128 end;
  };
  /// A datatype's extents, in bytes.
  struct Extents {
    MPI_Aint extent;
    MPI_Aint true_lower;
    MPI_Aint true_upper;
  };

  void measure_types();
  void narrow();
  std::size_t block_count() const;
  Span span_of(std::size_t block) const;
  bool touches_memory(std::size_t block) const;
  bool has_type_per_block() const {
    return layout_ == Layout::typed || layout_ == Layout::addressed;
  }
  std::string describe(std::size_t block, const Span& span) const;

  std::string name_;
  Layout layout_;
  int ranks_;
  std::vector<std::int64_t> wide_counts_;
  std::vector<std::int64_t> wide_displacements_;
  std::vector<Count> counts_;
  std::vector<Displacement> displacements_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Datatype> types_;
  std::vector<Extents> extents_;
  Address buffer_ = 0;
  std::size_t bytes_;  ///< none with MPI.BOTTOM
};

}  // namespace rondo::python
