#include "buffers/binding.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace rondo::buffers {

namespace {

/// Stands for the rank of an argument that holds for all ranks.
constexpr int kAllRanks = -1;

std::ptrdiff_t checked_offset(std::int64_t elements, MPI_Aint extent) {
  std::ptrdiff_t offset = 0;
  if (__builtin_mul_overflow(elements, extent, &offset))
    throw Error(ErrorClass::count,
                text(elements, " elements of ", extent, " bytes do not fit in the address space"));
  return offset;
}

}  // namespace

/// Keeps the type of all ranks if it is predefined, since such a handle never denotes another type.
void Side::reset(int ranks) {
  ranks_ = static_cast<std::size_t>(ranks);
  uniform_count_ = 0;
  counts_ = {};
  displacements_ = {};
  bound_ = 0;
  if (!type_.is_predefined) type_ = {};
  types_.clear();
  is_in_bytes_ = false;
  is_packed_ = false;
  may_repeat_ = false;
}

/// "sendcount", or "sendcounts[3]" for an array with an entry for every rank.
std::string Side::argument_name(const char* what, int rank) const {
  return rank == kAllRanks ? name_ + what : text(name_, what, "s[", rank, "]");
}

/// Displacements are named sdispls and rdispls; other arrays begin with the side's full name.
void Side::throw_missing(const char* array) const {
  const bool is_displacements = std::string_view(array) == "displs";
  throw Error(ErrorClass::argument,
              text(is_displacements ? name_.substr(0, 1) : name_, array, " is a null pointer"));
}

void Side::check_count(std::int64_t count, int rank) const {
  if (count < 0)
    throw Error(ErrorClass::count, text(argument_name("count", rank), " is ", count,
                                        "; a count must not be negative"));
}

/// Makes type_ describe `type`, the type of at least one element.
void Side::use_type(MPI_Datatype type, int rank) {
  if (type == MPI_DATATYPE_NULL)
    throw Error(ErrorClass::type, argument_name("type", rank) + " is MPI_DATATYPE_NULL");
  if (type != type_.handle) type_ = describe(type);
  if (type_.size != 0 && !type_.is_contiguous) is_packed_ = true;
}

/// Returns whether there are any elements. Throws an Error that names the first negative count.
bool Side::use_arrays(Numbers counts, Numbers displacements) {
  require(!counts.is_null(), "counts");
  require(!displacements.is_null(), "displs");
  counts_ = counts;
  displacements_ = displacements;
  const std::int64_t any = counts.any_of(ranks_);
  if (any < 0)
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      check_count(counts[rank], static_cast<int>(rank));
  return any != 0;
}

/// Checks that lengths and offsets fit in the address space. An int times less than 2^31 always
/// fits.
void Side::check_extents() const {
  constexpr std::size_t kSmall = std::size_t{1} << 31;
  const auto is_small = [](const TypeInfo& type) {
    return type.size < kSmall && static_cast<std::size_t>(std::abs(type.extent)) < kSmall;
  };
  if (!counts_.is_large() && is_small(type_) && std::ranges::all_of(types_, is_small)) return;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const auto count = static_cast<std::size_t>(counts_[rank]);
    if (count == 0) continue;
    const TypeInfo& type = is_in_bytes_ ? types_[rank] : type_;
    checked_multiply(count, type.size);
    if (!is_in_bytes_) checked_offset(displacements_[rank], type.extent);
  }
}

void Side::bind_anew(int ranks, std::int64_t count, MPI_Datatype type) {
  reset(ranks);
  check_count(count, kAllRanks);
  if (count == 0) return;
  use_type(type, kAllRanks);
  uniform_count_ = static_cast<std::size_t>(count);
  may_repeat_ = type_.is_predefined;
  // The product of three factors below 2^20 fits.
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  const auto extent = static_cast<std::size_t>(std::abs(type_.extent));
  if ((uniform_count_ | ranks_ | extent | type_.size) < kSmall) return;
  may_repeat_ = false;
  checked_multiply(uniform_count_, type_.size);
  checked_offset(checked_offset(count, ranks), type_.extent);
}

void Side::bind_anew(int ranks, Numbers counts, Numbers displacements, MPI_Datatype type) {
  reset(ranks);
  if (!use_arrays(counts, displacements)) return;
  use_type(type, kAllRanks);
  check_extents();
  may_repeat_ = type_.is_predefined && counts.small() != nullptr;
  const auto any = static_cast<std::size_t>(counts.any_of(ranks_));
  if (__builtin_mul_overflow(any, type_.size, &bound_)) bound_ = SIZE_MAX;
}

void Side::bind_alltoallw(int ranks, Numbers counts, Numbers displacements,
                          const MPI_Datatype* types) {
  reset(ranks);
  is_in_bytes_ = true;
  use_arrays(counts, displacements);
  require(types != nullptr, "types");
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const bool is_empty = counts_[rank] == 0;
    if (!is_empty) use_type(types[rank], static_cast<int>(rank));
    types_.push_back(is_empty ? TypeInfo{} : type_);
  }
  check_extents();
}

std::size_t Side::total_bytes() const {
  std::size_t total = 0;
  for (std::size_t rank = 0; rank < ranks_; ++rank) total = checked_add(total, part(rank).bytes);
  return total;
}

void Side::check_null_buffer() const {
  // The large displacements of MPI_Alltoallw may be addresses. A null buffer is valid then.
  if (is_in_bytes_ && displacements_.is_large()) return;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const Part part = this->part(rank);
    if (part.bytes != 0 && part.type->is_contiguous)
      throw Error(ErrorClass::buffer, text(name_, "buf is a null pointer, but block ", rank,
                                           " has ", part.bytes, " bytes"));
  }
}

void Binding::throw_own_mismatch(std::size_t own) const {
  throw Error(ErrorClass::truncate, text("rank ", own, " sends ", sending().bytes(own),
                                         " bytes to itself, but expects ", receive.bytes(own)));
}

}  // namespace rondo::buffers
