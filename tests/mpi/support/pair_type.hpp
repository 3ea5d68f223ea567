// Elements of two ints in several layouts, and memory for them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support/runner.hpp"
#include "support/small.hpp"

namespace rondo::testing {

/// All but the first must be packed.
enum class PairLayout {
  side_by_side,
  spread,   ///< with gaps around the second int
  raised,   ///< the lower bound is above the address of the element
  lowered,  ///< it is below it
  wide,     ///< the bounds are wider than what lies between them, on both sides
  far,      ///< the first int is far below the second, and between those of other elements
  count
};

/// Of a layout, in ints.
struct PairPlaces {
  int members[2];
  int lower_bound;
  int extent;
};
inline constexpr PairPlaces kPairPlaces[] = {{{0, 1}, 0, 2},  {{0, 2}, 0, 4},
                                             {{2, 4}, 2, 4},  {{-3, -1}, -3, 3},
                                             {{1, 2}, -1, 5}, {{-10'000, -1}, -10'000, 2}};

class PairType {
 public:
  explicit PairType(PairLayout layout)
      : places_(kPairPlaces[static_cast<int>(layout)]), type_(made(layout)) {}

  operator MPI_Datatype() const { return type_; }

  /// Where a member of an element is, in ints from the address of the first element.
  std::ptrdiff_t at(std::size_t pair, std::size_t member) const {
    return static_cast<std::ptrdiff_t>(pair) * places_.extent + places_.members[member];
  }

 private:
  MPI_Datatype made(PairLayout layout) const {
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    if (layout == PairLayout::side_by_side) {
      must(MPI_Type_contiguous(2, MPI_INT, &pair));
      return pair;
    }
    constexpr MPI_Aint kInt = sizeof(int);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    must(MPI_Type_create_indexed_block(2, 1, places_.members, MPI_INT, &pair));
    must(MPI_Type_create_resized(pair, places_.lower_bound * kInt, places_.extent * kInt, &type));
    must(MPI_Type_free(&pair));
    return type;
  }

  PairPlaces places_;
  Type type_;
};

/// Memory for elements of a type. An int before the first and one after the last must survive too.
class PairMemory {
 public:
  static constexpr int kPoison = -77;

  PairMemory() = default;
  PairMemory(const PairType& type, std::size_t pairs) : type_(&type) {
    if (pairs != 0) {
      low_ = type.at(0, 0);
      high_ = type.at(pairs - 1, 1) + 1;
    }
    ints_.assign(static_cast<std::size_t>(high_ - low_ + 2), kPoison);
  }

  /// Memory like this in which nothing has been written.
  PairMemory untouched() const {
    PairMemory copy = *this;
    std::ranges::fill(copy.ints_, kPoison);
    return copy;
  }

  /// Of the first element, as MPI counts from it.
  int* address() { return ints_.data() + 1 - low_; }

  int& at(std::size_t pair, std::size_t member) { return address()[type_->at(pair, member)]; }

  bool operator==(const PairMemory& other) const { return ints_ == other.ints_; }

  /// The first int that differs, from the first one that an element may have.
  std::ptrdiff_t first_difference(const PairMemory& other) const {
    return std::ranges::mismatch(ints_, other.ints_).in1 - ints_.begin() - 1;
  }

 private:
  const PairType* type_ = nullptr;
  std::ptrdiff_t low_ = 0;
  std::ptrdiff_t high_ = 0;
  std::vector<int> ints_;
};

}  // namespace rondo::testing
