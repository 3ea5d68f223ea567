#include "support/types.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "support/runner.hpp"

namespace rondo::testing {

namespace {

using Handle = MPI_Datatype;

Handle committed(Handle type) {
  must(MPI_Type_commit(&type));
  return type;
}

/// `type` with another extent, committed; frees `type`.
Handle resized(Handle type, MPI_Aint low, MPI_Aint extent) {
  Handle result = MPI_DATATYPE_NULL;
  must(MPI_Type_create_resized(type, low, extent, &result));
  must(MPI_Type_free(&type));
  return committed(result);
}

Handle contiguous_of(int count, Handle of) {
  Handle type = MPI_DATATYPE_NULL;
  must(MPI_Type_contiguous(count, of, &type));
  return type;
}

Handle vector_of(int count, int length, int stride, Handle of) {
  Handle type = MPI_DATATYPE_NULL;
  must(MPI_Type_vector(count, length, stride, of, &type));
  return type;
}

template <std::size_t N>
Handle hindexed_of(std::array<int, N> lengths, std::array<MPI_Aint, N> offsets, Handle of) {
  Handle type = MPI_DATATYPE_NULL;
  must(MPI_Type_create_hindexed(static_cast<int>(N), lengths.data(), offsets.data(), of, &type));
  return type;
}

Handle make_struct() {
  const std::array<int, 3> lengths{1, 2, 3};
  const std::array<MPI_Aint, 3> offsets{0, 8, 28};
  const std::array<Handle, 3> types{MPI_INT, MPI_DOUBLE, MPI_CHAR};
  Handle type = MPI_DATATYPE_NULL;
  must(MPI_Type_create_struct(3, lengths.data(), offsets.data(), types.data(), &type));
  return resized(type, 0, 40);
}

Handle dup_of(Handle of) {
  Handle type = MPI_DATATYPE_NULL;
  must(MPI_Type_dup(of, &type));
  return type;
}

const ElementType kByte{"byte", 1, {{0, 1}}, [](MPI_Aint) { return MPI_BYTE; }};
const ElementType kDouble{"double", 8, {{0, 8}}, [](MPI_Aint) { return MPI_DOUBLE; }};
const ElementType kVector{"vector", 80, {{0, 16}, {32, 16}, {64, 16}}, [](MPI_Aint) {
                            return committed(vector_of(3, 2, 4, MPI_DOUBLE));
                          }};
const ElementType kResizedVector{"resized vector", 36, {{0, 4}, {8, 4}, {16, 4}}, [](MPI_Aint) {
                                   return resized(vector_of(3, 1, 2, MPI_INT), 0, 36);
                                 }};
const ElementType kStruct{
    "struct", 40, {{0, 4}, {8, 16}, {28, 3}}, [](MPI_Aint) { return make_struct(); }};
const ElementType kPermuted{
    "permuted", 16, {{8, 4}, {0, 4}, {12, 4}, {4, 4}}, [](MPI_Aint) {
      return committed(hindexed_of<4>({1, 1, 1, 1}, {8, 0, 12, 4}, MPI_INT));
    }};
const ElementType kReversed{"reversed", 12, {{0, 4}, {-4, 4}, {-8, 4}}, [](MPI_Aint) {
                              return committed(vector_of(3, 1, -1, MPI_INT));
                            }};
const ElementType kNegative{"negative", 40, {{-16, 8}, {8, 16}}, [](MPI_Aint) {
                              return committed(hindexed_of<2>({1, 2}, {-16, 8}, MPI_DOUBLE));
                            }};
const ElementType kOverlapping{
    "overlapping", 8, {{0, 16}}, [](MPI_Aint) { return resized(contiguous_of(4, MPI_INT), 0, 8); }};
const ElementType kFourInts{
    "four ints", 16, {{0, 16}}, [](MPI_Aint) { return committed(contiguous_of(4, MPI_INT)); }};
const ElementType kDoubleInt{
    "double_int", 16, {{0, 8}, {8, 4}}, [](MPI_Aint) { return MPI_DOUBLE_INT; }};
const ElementType kAbsolute{
    "absolute", 24, {{0, 8}, {16, 4}}, [](MPI_Aint at) {
      return resized(hindexed_of<2>({2, 1}, {at, at + 16}, MPI_INT), at, 24);
    }};
const ElementType kEmpty{
    "empty", 0, {}, [](MPI_Aint) { return committed(contiguous_of(0, MPI_INT)); }};
const ElementType kEmptyWide{
    "empty, resized", 8, {}, [](MPI_Aint) { return resized(contiguous_of(0, MPI_INT), 0, 8); }};
const ElementType kSixDoubles{
    "six doubles", 48, {{0, 48}}, [](MPI_Aint) { return committed(contiguous_of(6, MPI_DOUBLE)); }};
const ElementType kDup{"dup of int", 4, {{0, 4}}, [](MPI_Aint) { return dup_of(MPI_INT); }};
const ElementType kThreeInts{
    "three ints", 12, {{0, 12}}, [](MPI_Aint) { return committed(contiguous_of(3, MPI_INT)); }};

const TypeRow kTypeRows[] = {
    {"byte", &kByte, &kByte},
    {"double", &kDouble, &kDouble},
    {"vector with gaps", &kVector, &kVector},
    {"resized vector", &kResizedVector, &kResizedVector},
    {"struct with gaps", &kStruct, &kStruct},
    {"permuted indexed", &kPermuted, &kPermuted},
    {"permuted to contiguous", &kPermuted, &kFourInts},
    {"contiguous to permuted", &kFourInts, &kPermuted},
    {"reversed vector", &kReversed, &kReversed},
    {"negative lower bound", &kNegative, &kNegative},
    {"overlapping to contiguous", &kOverlapping, &kFourInts},
    {"MPI_DOUBLE_INT", &kDoubleInt, &kDoubleInt},
    {"absolute at MPI_BOTTOM", &kAbsolute, &kAbsolute, true},
    {"zero-size", &kEmpty, &kEmptyWide},
    {"contiguous to vector", &kSixDoubles, &kVector},
    {"vector to doubles", &kVector, &kDouble},
    {"dup to contiguous", &kDup, &kThreeInts},
};

}  // namespace

std::size_t ElementType::size() const {
  return std::accumulate(runs.begin(), runs.end(), std::size_t{0},
                         [](std::size_t sum, const Run& run) { return sum + run.bytes; });
}

std::ptrdiff_t ElementType::low() const {
  std::ptrdiff_t lowest = runs.empty() ? 0 : runs.front().offset;
  for (const Run& run : runs) lowest = std::min(lowest, run.offset);
  return lowest;
}

std::ptrdiff_t ElementType::high(std::ptrdiff_t count) const {
  if (runs.empty() || count == 0) return 0;
  std::ptrdiff_t highest = runs.front().offset;
  for (const Run& run : runs)
    highest = std::max(highest, run.offset + static_cast<std::ptrdiff_t>(run.bytes));
  return highest + (count - 1) * extent;
}

bool ElementType::overlaps() const {
  return high(1) - low() > extent;
}

std::size_t TypeRow::unit_bytes() const {
  return std::max<std::size_t>(std::lcm(send->size(), receive->size()), 1);
}

std::span<const TypeRow> type_rows() {
  return kTypeRows;
}

void free_type(MPI_Datatype& type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  if (type == MPI_DATATYPE_NULL) return;
  must(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  if (combiner != MPI_COMBINER_NAMED) must(MPI_Type_free(&type));
  type = MPI_DATATYPE_NULL;
}

bool agrees_with_mpi(const ElementType& type) {
  MPI_Datatype handle = type.make(0);
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_low = 0;
  MPI_Aint true_extent = 0;
  int size = 0;
  must(MPI_Type_get_extent(handle, &low, &extent));
  must(MPI_Type_get_true_extent(handle, &true_low, &true_extent));
  must(MPI_Type_size(handle, &size));
  free_type(handle);
  return extent == type.extent && static_cast<std::size_t>(size) == type.size() &&
         true_extent == type.high(1) - type.low() && true_low == type.low();
}

}  // namespace rondo::testing
