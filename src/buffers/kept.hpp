// Memory of Rondo's own for what exchanges without receive counts find: the elements, and who has sent them in a
// sparse one. It is kept from call to call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "base/scratch.hpp"
#include "buffers/datatype.hpp"

namespace rondo::buffers {

/// The elements that one dynamic exchange has received and that are not in the caller's memory. They
/// stay until the next dynamic exchange on the communicator. The memory grows and is kept.
class Kept {
 public:
  /// Makes memory for elements of a type, in place of what was kept before. Returns the address of the
  /// first one, as MPI counts from it.
  std::byte* reserve(const TypeInfo& type, std::size_t count);

  /// Keeps the elements for which room was made.
  void keep() { is_kept_ = true; }
  void forget() { is_kept_ = false; }
  bool is_kept() const { return is_kept_; }

  /// Copies the elements to `buffer`, which has room for `capacity` elements of `type`. Throws Error:
  /// argument if nothing is kept, type if the elements are of another type, truncate if there are
  /// more. Then they stay.
  void copy_to(void* buffer, std::int64_t capacity, MPI_Datatype type, MPI_Comm comm) const;

 private:
  Buffer memory_;
  TypeInfo type_;
  Bounds bounds_;  ///< of all elements
  std::size_t count_ = 0;
  std::byte* first_ = nullptr;
  bool is_kept_ = false;
};

/// Throws Error(truncate), which names the room needed, unless `count` elements fit.
void check_capacity(std::int64_t capacity, std::size_t count);

/// Who has sent to a rank in a sparse exchange, and how much: the sources in the order of their ranks. The arrays
/// have at least one entry, so that they are never null.
template <class Count, class Displacement>
struct Sources {
  std::vector<int> ranks;
  std::vector<Count> counts;
  std::vector<Displacement> displacements;
  std::vector<std::uint64_t> lengths;  ///< in bytes

  void resize(std::size_t size) {
    const std::size_t entries = size == 0 ? 1 : size;
    ranks.assign(entries, 0);
    counts.assign(entries, 0);
    displacements.assign(entries, 0);
    lengths.assign(entries, 0);
  }
};

/// The arrays of sparse exchanges on a communicator: for calls with int counts, and for those with large ones.
struct SparseArrays {
  std::tuple<Sources<int, int>, Sources<MPI_Count, MPI_Aint>> sources;
  std::vector<int> sorted;  ///< destinations
};

}  // namespace rondo::buffers
