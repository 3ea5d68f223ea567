// The arguments of the three exchanges. One body serves calls and plans of all three, with int
// counts and with large counts.
#pragma once

#include <mpi.h>

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

  MPI_Datatype type(MPI_Datatype type);
  const MPI_Datatype* types(const MPI_Datatype* types, int count);

  /// As type(), but a predefined type, which nobody can free, stands for itself.
  MPI_Datatype held(MPI_Datatype type) {
    return type == MPI_DATATYPE_NULL || describe(type).is_predefined ? type : this->type(type);
  }

  template <class Number>
  const Number* numbers(const Number* numbers, int count) {
    if (numbers == nullptr) return nullptr;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(Number);
    auto& copy = arrays_.emplace_back(std::make_unique<std::byte[]>(bytes));
    copy_bytes(copy.get(), reinterpret_cast<const std::byte*>(numbers), bytes);
    return reinterpret_cast<const Number*>(copy.get());
  }

 private:
  std::vector<MPI_Datatype> types_;
  std::vector<std::unique_ptr<std::byte[]>> arrays_;
};

inline ArgumentCopies::~ArgumentCopies() {
  int is_finalized = 0;
  if (PMPI_Finalized(&is_finalized) != MPI_SUCCESS || is_finalized) return;
  for (MPI_Datatype type : types_) PMPI_Type_free(&type);
}

inline MPI_Datatype ArgumentCopies::type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return type;
  // MPI_Type_dup would run the copy callbacks of the user's attributes.
  MPI_Datatype same = MPI_DATATYPE_NULL;
  mpi::check(PMPI_Type_contiguous(1, type, &same), "MPI_Type_contiguous");
  types_.push_back(same);
  mpi::check(PMPI_Type_commit(&types_.back()), "MPI_Type_commit");
  return same;
}

inline const MPI_Datatype* ArgumentCopies::types(const MPI_Datatype* types, int count) {
  if (types == nullptr) return nullptr;
  std::vector<MPI_Datatype> copies;
  for (int i = 0; i < count; ++i) copies.push_back(type(types[i]));
  return numbers(copies.data(), count);
}

/// One rank's arguments to MPI_Alltoall. `Count` is int or MPI_Count.
template <class Count>
struct AlltoallArguments {
  static constexpr Form kForm = Form::alltoall;

  const void* send_buffer;
  Count send_count;
  MPI_Datatype send_type;
  void* receive_buffer;
  Count receive_count;
  MPI_Datatype receive_type;
  MPI_Comm comm;

  void bind_send(Side& side, int ranks) const { side.bind_alltoall(ranks, send_count, send_type); }
  void bind_receive(Side& side, int ranks) const {
    side.bind_alltoall(ranks, receive_count, receive_type);
  }
  void copy_send(ArgumentCopies& copies, int) { send_type = copies.type(send_type); }
  void copy_receive(ArgumentCopies& copies, int) { receive_type = copies.type(receive_type); }
  int forward() const;
  int forward(MPI_Request* request) const;
};

template <class Count, class Displacement>
struct AlltoallvArguments {
  static constexpr Form kForm = Form::alltoallv;

  const void* send_buffer;
  const Count* send_counts;
  const Displacement* send_displacements;
  MPI_Datatype send_type;
  void* receive_buffer;
  const Count* receive_counts;
  const Displacement* receive_displacements;
  MPI_Datatype receive_type;
  MPI_Comm comm;

  void bind_send(Side& side, int ranks) const {
    side.bind_alltoallv(ranks, Numbers(send_counts), Numbers(send_displacements), send_type);
  }
  void bind_receive(Side& side, int ranks) const {
    side.bind_alltoallv(ranks, Numbers(receive_counts), Numbers(receive_displacements),
                        receive_type);
  }
  void copy_send(ArgumentCopies& copies, int ranks) {
    send_counts = copies.numbers(send_counts, ranks);
    send_displacements = copies.numbers(send_displacements, ranks);
    send_type = copies.type(send_type);
  }
  void copy_receive(ArgumentCopies& copies, int ranks) {
    receive_counts = copies.numbers(receive_counts, ranks);
    receive_displacements = copies.numbers(receive_displacements, ranks);
    receive_type = copies.type(receive_type);
  }
  int forward() const;
  int forward(MPI_Request* request) const;
};

template <class Count, class Displacement>
struct AlltoallwArguments {
  static constexpr Form kForm = Form::alltoallw;

  const void* send_buffer;
  const Count* send_counts;
  const Displacement* send_displacements;
  const MPI_Datatype* send_types;
  void* receive_buffer;
  const Count* receive_counts;
  const Displacement* receive_displacements;
  const MPI_Datatype* receive_types;
  MPI_Comm comm;

  void bind_send(Side& side, int ranks) const {
    side.bind_alltoallw(ranks, Numbers(send_counts), Numbers(send_displacements), send_types);
  }
  void bind_receive(Side& side, int ranks) const {
    side.bind_alltoallw(ranks, Numbers(receive_counts), Numbers(receive_displacements),
                        receive_types);
  }
  void copy_send(ArgumentCopies& copies, int ranks) {
    send_counts = copies.numbers(send_counts, ranks);
    send_displacements = copies.numbers(send_displacements, ranks);
    send_types = copies.types(send_types, ranks);
  }
  void copy_receive(ArgumentCopies& copies, int ranks) {
    receive_counts = copies.numbers(receive_counts, ranks);
    receive_displacements = copies.numbers(receive_displacements, ranks);
    receive_types = copies.types(receive_types, ranks);
  }
  int forward() const;
  int forward(MPI_Request* request) const;
};

using Alltoall = AlltoallArguments<int>;
using Alltoallv = AlltoallvArguments<int, int>;
using Alltoallw = AlltoallwArguments<int, int>;

#define RONDO_UNIFORM \
  send_buffer, send_count, send_type, receive_buffer, receive_count, receive_type
#define RONDO_VECTOR                                                                       \
  send_buffer, send_counts, send_displacements, send_type, receive_buffer, receive_counts, \
      receive_displacements, receive_type
#define RONDO_TYPED                                                                         \
  send_buffer, send_counts, send_displacements, send_types, receive_buffer, receive_counts, \
      receive_displacements, receive_types

/// The MPI library's call and start of one form. `members` is one of the three lists above.
#define RONDO_FORWARD(Arguments, Call, Start, members)        \
  template <>                                                 \
  inline int Arguments::forward() const {                     \
    return PMPI_##Call(members, comm);                        \
  }                                                           \
  template <>                                                 \
  inline int Arguments::forward(MPI_Request* request) const { \
    return PMPI_##Start(members, comm, request);              \
  }

RONDO_FORWARD(Alltoall, Alltoall, Ialltoall, RONDO_UNIFORM)
RONDO_FORWARD(Alltoallv, Alltoallv, Ialltoallv, RONDO_VECTOR)
RONDO_FORWARD(Alltoallw, Alltoallw, Ialltoallw, RONDO_TYPED)

#if MPI_VERSION >= 4
using LargeAlltoall = AlltoallArguments<MPI_Count>;
using LargeAlltoallv = AlltoallvArguments<MPI_Count, MPI_Aint>;
using LargeAlltoallw = AlltoallwArguments<MPI_Count, MPI_Aint>;

RONDO_FORWARD(LargeAlltoall, Alltoall_c, Ialltoall_c, RONDO_UNIFORM)
RONDO_FORWARD(LargeAlltoallv, Alltoallv_c, Ialltoallv_c, RONDO_VECTOR)
RONDO_FORWARD(LargeAlltoallw, Alltoallw_c, Ialltoallw_c, RONDO_TYPED)
#endif

/// Fills `binding` from a call's arguments. If they are wrong, clears it and throws.
template <class Arguments>
void bind(Binding& binding, const Arguments& arguments, int ranks) {
  binding.is_in_place = arguments.send_buffer == MPI_IN_PLACE;
  try {
    arguments.bind_receive(binding.receive, ranks);
    if (!binding.is_in_place) arguments.bind_send(binding.send(), ranks);
  } catch (...) {
    binding.clear();
    throw;
  }
}

/// Returns the block length of an alltoall call some of whose arguments are wrong: the length that
/// one valid side gives, or nothing if both sides are wrong.
template <class Arguments>
std::optional<std::size_t> block_bytes_of_valid_side(const Arguments& arguments, int ranks) {
  std::optional<std::size_t> bytes;
  const auto look = [&](auto&& bind_side) {
    if (bytes) return;
    Side side("");
    if (!failure_of([&] { bind_side(side); })) bytes = side.part(0).bytes;
  };
  if (arguments.send_buffer != MPI_IN_PLACE)
    look([&](Side& side) { arguments.bind_send(side, ranks); });
  look([&](Side& side) { arguments.bind_receive(side, ranks); });
  return bytes;
}

}  // namespace rondo::buffers
