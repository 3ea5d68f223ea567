// The counts, displacements and types of a call of any form, as P parts for each side.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/blocks.hpp"
#include "buffers/datatype.hpp"

namespace rondo::buffers {

/// The block that goes to, or comes from, one rank: `count` elements of a type, `offset` bytes into
/// the buffer. The type is null if there are no elements.
struct Part {
  std::ptrdiff_t offset = 0;
  std::size_t count = 0;
  std::size_t bytes = 0;
  const TypeInfo* type = nullptr;
};

/// Counts or displacements by rank, in the user's own array of int or of MPI-4's 8-byte types.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(const int* numbers) : small_(numbers) {}
  template <class Large>
  explicit Numbers(const Large* numbers) : large_(reinterpret_cast<const std::byte*>(numbers)) {
    static_assert(sizeof(Large) == sizeof(std::int64_t));
  }

  bool is_null() const { return small_ == nullptr && large_ == nullptr; }
  bool is_large() const { return large_ != nullptr; }
  const int* small() const { return small_; }

  std::int64_t operator[](std::size_t rank) const {
    if (small_ != nullptr) return small_[rank];
    std::int64_t number = 0;
    std::memcpy(&number, large_ + rank * sizeof number, sizeof number);
    return number;
  }

  /// Returns the bitwise or of the first `ranks` numbers: 0 if all are 0, negative if one is
  /// negative.
  std::int64_t any_of(std::size_t ranks) const {
    std::int64_t bits = 0;
    if (small_ != nullptr)
      for (std::size_t rank = 0; rank < ranks; ++rank) bits |= small_[rank];
    else
      for (std::size_t rank = 0; rank < ranks; ++rank) bits |= (*this)[rank];
    return bits;
  }

 private:
  const int* small_ = nullptr;
  const std::byte* large_ = nullptr;
};

/// The blocks of one buffer. Ranks that share cores find their caches cold at every exchange, and
/// then each cache line and each instruction costs. Therefore nothing is stored by rank except the
/// types of MPI_Alltoallw, and products that cannot overflow are not checked. Binding again reuses
/// the memory.
class Side {
 public:
  /// `name` is "send" or "recv", the prefix of the arguments' names in errors.
  explicit Side(std::string name) : name_(std::move(name)) {}

  /// Bind the arguments of MPI_Alltoall, MPI_Alltoallv or MPI_Alltoallw. Arrays are not copied.
  /// Throws an Error (count, type or argument) that names the wrong argument.
  void bind_alltoall(int ranks, std::int64_t count, MPI_Datatype type) {
    if (!repeats_last(ranks, type) || !is_uniform() ||
        static_cast<std::int64_t>(uniform_count_) != count)
      bind_anew(ranks, count, type);
  }
  /// As bind_alltoall() for one element from every rank.
  void bind_elements(int ranks, MPI_Datatype type) {
    if (!repeats_last(ranks, type)) return bind_anew(ranks, 1, type);
    uniform_count_ = 1;
    counts_ = {};
    displacements_ = {};
  }
  void bind_alltoallv(int ranks, Numbers counts, Numbers displacements, MPI_Datatype type) {
    if (!bind_as_last(ranks, counts, displacements, type))
      bind_anew(ranks, counts, displacements, type);
  }
  void bind_alltoallw(int ranks, Numbers counts, Numbers displacements, const MPI_Datatype* types);
  /// Replaces the types that are needed until the end of an exchange, and that the caller may free
  /// before, by hold(type).
  template <class Hold>
  void hold_types(Hold&& hold) {
    MPI_Datatype given = MPI_DATATYPE_NULL;
    MPI_Datatype held = MPI_DATATYPE_NULL;
    const auto replace = [&](TypeInfo& type) {
      if (type.is_contiguous || type.is_predefined || type.handle == MPI_DATATYPE_NULL) return;
      if (type.handle != given) held = hold(given = type.handle);
      type.handle = held;
    };
    if (!is_in_bytes_) replace(type_);
    for (TypeInfo& type : types_) replace(type);
  }
  void unbind() {
    ranks_ = 0;
    may_repeat_ = false;
  }

  /// Returns the number of parts, or 0 if nothing is bound.
  std::size_t ranks() const { return ranks_; }
  Part part(std::size_t rank) const;
  std::size_t bytes(std::size_t rank) const {
    return is_described() && !is_uniform()
               ? static_cast<std::size_t>(counts_.small()[rank]) * type_.size
               : part(rank).bytes;
  }

  /// Whether these are the arguments of MPI_Alltoall: equal parts, one after another.
  bool is_uniform() const { return counts_.is_null(); }

  /// Whether the arguments themselves describe the blocks: they are MPI_Alltoall's, or arrays of int
  /// and one type.
  bool is_described() const { return is_uniform() || (!counts_.is_large() && !is_in_bytes_); }

  /// Returns the parts in terms of such arrays.
  Extents extents() const;

  std::size_t total_bytes() const;

  /// Whether some part has a non-contiguous type.
  bool is_packed() const { return is_packed_; }

  /// Throws Error(buffer) if the buffer is null and a block of a contiguous type is not empty.
  void check_buffer(const void* buffer) const {
    if (buffer == nullptr) check_null_buffer();
  }

 private:
  void reset(int ranks);
  void bind_anew(int ranks, std::int64_t count, MPI_Datatype type);
  void bind_anew(int ranks, Numbers counts, Numbers displacements, MPI_Datatype type);
  bool bind_as_last(int ranks, const Numbers& counts, const Numbers& displacements,
                    MPI_Datatype type);
  std::string argument_name(const char* what, int rank) const;
  void require(bool is_given, const char* array) const {
    if (!is_given) throw_missing(array);
  }
  [[noreturn]] void throw_missing(const char* array) const;
  void check_null_buffer() const;
  void use_type(MPI_Datatype type, int rank);
  void check_count(std::int64_t count, int rank) const;
  bool use_arrays(Numbers counts, Numbers displacements);
  void check_extents() const;

  /// Whether a call is like the last one but for its numbers, as most calls are. What was found out
  /// about the type then still holds.
  bool repeats_last(int ranks, MPI_Datatype type) const {
    return may_repeat_ && ranks_ == static_cast<std::size_t>(ranks) && type == type_.handle;
  }

  std::string name_;
  std::size_t ranks_ = 0;
  std::size_t uniform_count_ = 0;  ///< of MPI_Alltoall, which has no arrays
  Numbers counts_;
  Numbers displacements_;
  std::size_t bound_ = 0;        ///< no block of MPI_Alltoallv is longer, if its counts are ints
  TypeInfo type_;                ///< of all ranks
  std::vector<TypeInfo> types_;  ///< by rank, of MPI_Alltoallw
  bool is_in_bytes_ = false;     ///< displacements are in bytes, not in extents
  bool is_packed_ = false;
  bool may_repeat_ = false;  ///< whether a call with these ranks and this type needs fewer checks
};

/// Binds the arguments of MPI_Alltoallv if only their numbers differ from the last call's.
inline bool Side::bind_as_last(int ranks, const Numbers& counts, const Numbers& displacements,
                               MPI_Datatype type) {
  if (!repeats_last(ranks, type) || counts.small() == nullptr || displacements.small() == nullptr)
    return false;
  const std::int64_t any = counts.any_of(ranks_);
  if (any < 0) return false;
  counts_ = counts;
  displacements_ = displacements;
  bound_ = static_cast<std::size_t>(any) * type_.size;
  return true;
}

inline Part Side::part(std::size_t rank) const {
  const std::size_t count = is_uniform() ? uniform_count_ : static_cast<std::size_t>(counts_[rank]);
  if (count == 0) return {};
  const TypeInfo& type = is_in_bytes_ ? types_[rank] : type_;
  const std::int64_t displacement =
      is_uniform() ? static_cast<std::int64_t>(rank * count) : displacements_[rank];
  return {.offset = is_in_bytes_ ? displacement : displacement * type.extent,
          .count = count,
          .bytes = count * type.size,
          .type = &type};
}

inline Extents Side::extents() const {
  return {.counts = counts_.small(),
          .displacements = displacements_.small(),
          .size = type_.size,
          .extent = type_.extent,
          .bound = bound_};
}

/// Both sides of a call.
struct Binding {
  Side receive{"recv"};
  bool is_in_place = false;

  const Side& sending() const { return is_in_place ? receive : send_; }
  Side& send() { return send_; }

  /// As Side::hold_types, for the receiving side, and for the other too unless it is packed at once.
  template <class Hold>
  void hold_types(bool is_packed_later, Hold&& hold) {
    receive.hold_types(hold);
    if (is_packed_later && !is_in_place) send_.hold_types(hold);
  }

  /// Unbinds both sides, after an error.
  void clear() {
    send_.unbind();
    receive.unbind();
  }

  /// Returns the block length of MPI_Alltoall, or 0 if nothing is bound.
  std::size_t block_bytes() const { return sending().ranks() == 0 ? 0 : sending().part(0).bytes; }

  /// Throws Error(buffer) if a buffer is null and a block of a contiguous type in it is not empty.
  void check_buffers(const void* send_buffer, const void* receive_buffer) const {
    receive.check_buffer(receive_buffer);
    if (!is_in_place) sending().check_buffer(send_buffer);
  }

  /// Throws Error(truncate) if this rank's block to itself has another length than it expects.
  void check_own(int rank) const {
    const auto own = static_cast<std::size_t>(rank);
    if (sending().bytes(own) != receive.bytes(own)) throw_own_mismatch(own);
  }

 private:
  [[noreturn]] void throw_own_mismatch(std::size_t own) const;

  Side send_{"send"};
};

}  // namespace rondo::buffers
