// The arguments of the three exchanges. One body serves calls and plans of all three, with int
// counts and with large counts.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "buffers/binding.hpp"
#include "buffers/form.hpp"
#include "mpi/error.hpp"

namespace rondo::buffers {

/// Copies of the arrays that a call's arguments point to, and datatypes equal to its own. They live
/// as long as the plan that holds them.
class ArgumentCopies {
 public:
  ArgumentCopies() = default;
  ~ArgumentCopies();
  ArgumentCopies(const ArgumentCopies&) = delete;
  ArgumentCopies& operator=(const ArgumentCopies&) = delete;

  /// Returns a type equal to `type` that lives as long as this. A predefined type, which nobody can free, stands for
  /// itself. One type is held once, since MPI libraries copy faster between equal handles.
  MPI_Datatype held(MPI_Datatype type);
  const MPI_Datatype* held(const MPI_Datatype* types, int count);

  template <class Number>
  const Number* numbers(const Number* numbers, int count) {
    if (numbers == nullptr) return nullptr;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(Number);
    auto& copy = arrays_.emplace_back(std::make_unique<std::byte[]>(bytes));
    copy_bytes(copy.get(), reinterpret_cast<const std::byte*>(numbers), bytes);
    return reinterpret_cast<const Number*>(copy.get());
  }

 private:
  struct HeldType {
    MPI_Datatype given;
    MPI_Datatype same;
  };

  std::vector<HeldType> types_;
  std::vector<std::unique_ptr<std::byte[]>> arrays_;
};

inline ArgumentCopies::~ArgumentCopies() {
  int is_finalized = 0;
  if (PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized) return;
  for (HeldType& type : types_)
    if (type.same != MPI_DATATYPE_NULL) PMPI_Type_free(&type.same);
}

inline MPI_Datatype ArgumentCopies::held(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || describe(type).is_predefined) return type;
  const auto known = std::ranges::find(types_, type, &HeldType::given);
  if (known != types_.end()) return known->same;
  // MPI_Type_dup would run the copy callbacks of the user's attributes.
  MPI_Datatype& same = types_.emplace_back(HeldType{type, MPI_DATATYPE_NULL}).same;
  mpi::check(PMPI_Type_contiguous(1, type, &same), "MPI_Type_contiguous");
  mpi::check(PMPI_Type_commit(&same), "MPI_Type_commit");
  return same;
}

inline const MPI_Datatype* ArgumentCopies::held(const MPI_Datatype* types, int count) {
  if (types == nullptr) return nullptr;
  std::vector<MPI_Datatype> copies;
  for (int i = 0; i < count; ++i) copies.push_back(held(types[i]));
  return numbers(copies.data(), count);
}

/// One side's arguments to MPI_Alltoall, without the buffer. `Count` is int or MPI_Count.
template <class Count>
struct UniformSide {
  static constexpr Form kForm = Form::alltoall;

  Count count;
  MPI_Datatype type;

  void bind(Side& side, int ranks) const { side.bind_alltoall(ranks, count, type); }
  void copy(ArgumentCopies& copies, int) { type = copies.held(type); }
};

/// The same to MPI_Alltoallv.
template <class Count, class Displacement>
struct VectorSide {
  static constexpr Form kForm = Form::alltoallv;

  const Count* counts;
  const Displacement* displacements;
  MPI_Datatype type;

  void bind(Side& side, int ranks) const {
    side.bind_alltoallv(ranks, Numbers(counts), Numbers(displacements), type);
  }
  void copy(ArgumentCopies& copies, int ranks) {
    counts = copies.numbers(counts, ranks);
    displacements = copies.numbers(displacements, ranks);
    type = copies.held(type);
  }
};

/// The same to MPI_Alltoallw.
template <class Count, class Displacement>
struct TypedSide {
  static constexpr Form kForm = Form::alltoallw;

  const Count* counts;
  const Displacement* displacements;
  const MPI_Datatype* types;

  void bind(Side& side, int ranks) const {
    side.bind_alltoallw(ranks, Numbers(counts), Numbers(displacements), types);
  }
  void copy(ArgumentCopies& copies, int ranks) {
    counts = copies.numbers(counts, ranks);
    displacements = copies.numbers(displacements, ranks);
    types = copies.held(types, ranks);
  }
};

/// One rank's arguments to an exchange, in MPI's order.
template <class OneSide>
struct Arguments {
  static constexpr Form kForm = OneSide::kForm;

  const void* send_buffer;
  OneSide send;
  void* receive_buffer;
  OneSide receive;
  MPI_Comm comm;

  int forward() const;
  int forward(MPI_Request* request) const;
};

template <class Count, class Displacement>
using AlltoallvArguments = Arguments<VectorSide<Count, Displacement>>;

using Alltoall = Arguments<UniformSide<int>>;
using Alltoallv = AlltoallvArguments<int, int>;
using Alltoallw = Arguments<TypedSide<int, int>>;

#if MPI_VERSION >= 4
using LargeAlltoall = Arguments<UniformSide<MPI_Count>>;
using LargeAlltoallv = AlltoallvArguments<MPI_Count, MPI_Aint>;
using LargeAlltoallw = Arguments<TypedSide<MPI_Count, MPI_Aint>>;
#endif

/// Fills `binding` from a call's arguments. If they are wrong, clears it and throws.
template <class OneSide>
void bind(Binding& binding, const Arguments<OneSide>& arguments, int ranks) {
  binding.is_in_place = arguments.send_buffer == MPI_IN_PLACE;
  try {
    arguments.receive.bind(binding.receive, ranks);
    if (!binding.is_in_place) arguments.send.bind(binding.send(), ranks);
  } catch (...) {
    binding.clear();
    throw;
  }
}

/// Returns the block length of an alltoall call some of whose arguments are wrong: the length that
/// one valid side gives, or nothing if both sides are wrong.
template <class OneSide>
std::optional<std::size_t> block_bytes_of_valid_side(const Arguments<OneSide>& arguments,
                                                     int ranks) {
  const auto bytes_of = [&](const OneSide& one) -> std::optional<std::size_t> {
    Side side("");
    if (failure_of([&] { one.bind(side, ranks); })) return std::nullopt;
    return side.part(0).bytes;
  };
  const bool is_in_place = arguments.send_buffer == MPI_IN_PLACE;
  const auto sent = is_in_place ? std::nullopt : bytes_of(arguments.send);
  return sent ? sent : bytes_of(arguments.receive);
}

}  // namespace rondo::buffers
