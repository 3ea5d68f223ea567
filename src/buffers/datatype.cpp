#include "buffers/datatype.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "mpi/error.hpp"
#include "mpi/handles.hpp"
#include "transport/tags.hpp"

namespace rondo::buffers {

using mpi::check;

namespace {

bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/// How a datatype was made: MPI's envelope. Where MPI has large counts they are used, because the
/// small form does not handle types that were made with large counts.
struct Envelope {
  explicit Envelope(MPI_Datatype type) {
#if MPI_VERSION >= 4
    check(PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner),
          "MPI_Type_get_envelope_c");
#else
    check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner),
          "MPI_Type_get_envelope");
#endif
  }

#if MPI_VERSION >= 4
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
#else
  int integers = 0, addresses = 0, types = 0;
#endif
  int combiner = 0;
};

/// Returns the type that `type`, made by MPI_Type_contiguous or MPI_Type_dup, is made of. Such a
/// type holds one type and at most a count.
MPI_Datatype inner_type(MPI_Datatype type, const Envelope& envelope) {
  int integer = 0;
  MPI_Aint address = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
#if MPI_VERSION >= 4
  MPI_Count count = 0;
  check(PMPI_Type_get_contents_c(type, envelope.integers, 0, envelope.counts, 1, &integer, &address,
                                 &count, &inner),
        "MPI_Type_get_contents_c");
#else
  check(PMPI_Type_get_contents(type, envelope.integers, 0, 1, &integer, &address, &inner),
        "MPI_Type_get_contents");
#endif
  return inner;
}

bool is_contiguous(MPI_Datatype type, const Envelope& envelope) {
  if (is_predefined(envelope.combiner)) return true;
  if (envelope.combiner != MPI_COMBINER_CONTIGUOUS && envelope.combiner != MPI_COMBINER_DUP)
    return false;
  MPI_Datatype inner = inner_type(type, envelope);
  const TypeInfo info = describe(inner);
  if (!info.is_predefined) check(PMPI_Type_free(&inner), "MPI_Type_free");
  return info.is_contiguous;
}

/// Splits `count` elements into pieces of at most `piece_bytes` or one element.
template <class Piece>
void for_each_piece(const TypeInfo& type, std::size_t count, std::size_t piece_bytes,
                    Piece&& piece) {
  const std::size_t step =
      std::max<std::size_t>(piece_bytes / std::max<std::size_t>(type.size, 1), 1);
  for (std::size_t first = 0; first < count; first += step)
    piece(first, static_cast<int>(std::min(step, count - first)));
}

/// Copies one element that is too long for MPI_Pack: this rank sends it to itself, with one type
/// for each side.
void copy_element(const void* from, MPI_Datatype from_type, void* to, MPI_Datatype to_type,
                  MPI_Comm comm) {
  int self = 0;
  check(PMPI_Comm_rank(comm, &self), "MPI_Comm_rank");
  constexpr int kTag = transport::tags::range(transport::tags::Use::long_element).first;
  check(PMPI_Sendrecv(from, 1, from_type, self, kTag, to, 1, to_type, self, kTag, comm,
                      MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
}

}  // namespace

TypeInfo describe(MPI_Datatype type) {
  TypeInfo info{.handle = type};
  MPI_Count size = 0;
  MPI_Aint lower_bound = 0;
  check(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
  check(PMPI_Type_get_extent(type, &lower_bound, &info.extent), "MPI_Type_get_extent");
  if (size == MPI_UNDEFINED)
    throw Error(ErrorClass::type, "a datatype is too large: its size does not fit in MPI_Count");
  info.size = static_cast<std::size_t>(size);
  const Envelope envelope(type);
  info.is_predefined = is_predefined(envelope.combiner);
  info.is_contiguous = lower_bound == 0 && info.extent >= 0 &&
                       static_cast<std::size_t>(info.extent) == info.size &&
                       is_contiguous(type, envelope);
  return info;
}

namespace {

/// Arguments of MPI_Pack for elements at an address. Some MPI libraries reject MPI_BOTTOM, a null
/// pointer. For it, this describes the same elements as one element of a type shifted to a valid
/// address.
class Elements {
 public:
  Elements(const TypeInfo& info, const std::byte* at, int elements)
      : address(const_cast<std::byte*>(at)), count(elements), type(info.handle) {
    if (at != nullptr) return;
    MPI_Aint displacement = 0;
    check(PMPI_Get_address(&anchor_, &displacement), "MPI_Get_address");
    displacement = -displacement;
    check(PMPI_Type_create_hindexed(1, &elements, &displacement, info.handle, &shifted_.handle),
          "MPI_Type_create_hindexed");
    check(PMPI_Type_commit(&shifted_.handle), "MPI_Type_commit");
    address = &anchor_;
    count = 1;
    type = shifted_.handle;
  }

  std::byte* address;
  int count;
  MPI_Datatype type;

 private:
  std::byte anchor_{};
  mpi::OwnedType shifted_;
};

}  // namespace

Bounds bounds_of(const TypeInfo& type, std::size_t count) {
  MPI_Aint low = 0;
  MPI_Aint length = 0;
  check(PMPI_Type_get_true_extent(type.handle, &low, &length), "MPI_Type_get_true_extent");
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * type.extent;
  return {.low = low + std::min<std::ptrdiff_t>(last, 0),
          .high = low + length + std::max<std::ptrdiff_t>(last, 0)};
}

void pack(const TypeInfo& type, const std::byte* from, std::size_t count, std::byte* to,
          MPI_Comm comm, const PackingLimits& limits) {
  for_each_piece(type, count, limits.piece_bytes, [&](std::size_t first, int elements) {
    const std::byte* const data = at_offset(from, static_cast<MPI_Aint>(first) * type.extent);
    std::byte* const packed = to + first * type.size;
    if (type.size > limits.element_bytes) {
      const mpi::Datatype bytes(type.size, std::array<MPI_Aint, 1>{});
      return copy_element(data, type.handle, packed, bytes.get(), comm);
    }
    const Elements in(type, data, elements);
    int position = 0;
    check(PMPI_Pack(in.address, in.count, in.type, packed, elements * static_cast<int>(type.size),
                    &position, comm),
          "MPI_Pack");
  });
}

void unpack(const TypeInfo& type, const std::byte* from, std::size_t count, std::byte* to,
            MPI_Comm comm, const PackingLimits& limits) {
  for_each_piece(type, count, limits.piece_bytes, [&](std::size_t first, int elements) {
    std::byte* const data = at_offset(to, static_cast<MPI_Aint>(first) * type.extent);
    const std::byte* const packed = from + first * type.size;
    if (type.size > limits.element_bytes) {
      const mpi::Datatype bytes(type.size, std::array<MPI_Aint, 1>{});
      return copy_element(packed, bytes.get(), data, type.handle, comm);
    }
    const Elements out(type, data, elements);
    int position = 0;
    check(PMPI_Unpack(packed, elements * static_cast<int>(type.size), &position, out.address,
                      out.count, out.type, comm),
          "MPI_Unpack");
  });
}

bool packs_raw_bytes(MPI_Comm comm) {
  struct Sample {
    char letter;
    double number;
  };
  const Sample samples[] = {{'r', 1.5}, {'o', -2.25}};
  int lengths[] = {1, 1};
  MPI_Aint displacements[] = {offsetof(Sample, number), offsetof(Sample, letter)};
  MPI_Datatype members[] = {MPI_DOUBLE, MPI_CHAR};
  mpi::OwnedType reversed;
  mpi::OwnedType type;
  check(PMPI_Type_create_struct(2, lengths, displacements, members, &reversed.handle),
        "MPI_Type_create_struct");
  check(PMPI_Type_create_resized(reversed.handle, 0, sizeof(Sample), &type.handle),
        "MPI_Type_create_resized");
  check(PMPI_Type_commit(&type.handle), "MPI_Type_commit");

  char packed[256] = "";
  int position = 0;
  check(PMPI_Pack(samples, 2, type.handle, packed, sizeof packed, &position, comm), "MPI_Pack");

  char expected[2 * (sizeof(double) + 1)];
  char* out = expected;
  for (const Sample& sample : samples) {
    std::memcpy(out, &sample.number, sizeof sample.number);
    out[sizeof sample.number] = sample.letter;
    out += sizeof sample.number + 1;
  }
  return position == static_cast<int>(sizeof expected) &&
         std::memcmp(packed, expected, sizeof expected) == 0;
}

}  // namespace rondo::buffers
