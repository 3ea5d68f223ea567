// Exchanges of tensors' rows without a copy, for rondo.torch.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "mpi/dynamic.hpp"
#include "mpi/plain.hpp"
#include "objects/lock.hpp"

namespace rondo::python {

using namespace nb::literals;

namespace {

bool is_empty(nb::handle given) {
  return (PyList_CheckExact(given.ptr()) && PyList_GET_SIZE(given.ptr()) == 0) ||
         (PyTuple_CheckExact(given.ptr()) && PyTuple_GET_SIZE(given.ptr()) == 0);
}

/// The side of a tensor in the memory of the host, whose elements follow each other. Nothing if the rows that are to
/// be for each rank are no integers or not all rows, or if an int cannot count the bytes.
std::optional<Side> side_of_rows(const char* name, nb::handle given, std::int64_t rows,
                                 std::int64_t row_bytes, Address address, int ranks) {
  static const MPI_Datatype byte = MPI_BYTE;
  const auto blocks = static_cast<std::size_t>(ranks);
  const bool are_equal = given.is_none() || is_empty(given);
  if (are_equal && rows % ranks != 0) return {};
  auto sizes =
      are_equal ? MaybeIntegers(std::in_place, blocks, rows / ranks) : integers_of(given, blocks);
  const std::int64_t bytes = rows * row_bytes;
  if (!sizes || bytes > std::numeric_limits<int>::max()) return {};
  for (std::int64_t& size : *sizes) {
    if (size < 0 || size > rows) return {};
    rows -= size;
    size *= row_bytes;
  }
  if (rows != 0) return {};
  return Side(name, Layout::vector, 1, std::move(*sizes), std::nullopt,
              {reinterpret_cast<Address>(&byte)}, {address, static_cast<std::size_t>(bytes)});
}

/// What came of an exchange: nothing if it was not carried out, else the bytes from each rank, or an empty list if
/// they are what was expected.
using Came = std::optional<std::vector<std::int64_t>>;

/// It is started, and waited for: other ranks may start it and wait later.
Came exchange_rows(nb::handle given, nb::handle sizes, std::int64_t rows, std::int64_t row_bytes,
                   Address from, nb::handle arriving, std::int64_t rows_to,
                   std::int64_t row_bytes_to, Address to) {
  const auto comm = plain_comm(given);
  if (!comm) return {};
  const auto send = side_of_rows("send", sizes, rows, row_bytes, from, comm->ranks);
  const auto recv = side_of_rows("receive", arriving, rows_to, row_bytes_to, to, comm->ranks);
  if (!send || !recv) return {};
  DynamicRequest started = ialltoallv_dynamic_into(comm->handle, *send, *recv);
  {
    const WithoutLock others_run;
    started.wait();
  }
  return started.unexpected(*recv).value_or(std::vector<std::int64_t>());
}

}  // namespace

void bind_rows(nb::module_& module) {
  module.def(
      "exchange_rows", &exchange_rows, "comm"_a, "sizes"_a.none(), "rows"_a, "row_bytes"_a,
      "address"_a, "arriving"_a.none(), "rows_to"_a, "row_bytes_to"_a, "address_to"_a,
      "Exchange rows of tensors in the memory of the host, whose elements follow each other. "
      "None if the sizes are not plain, and nothing is exchanged; else the bytes that have "
      "come from each rank, or an empty list if they are those expected.");
}

}  // namespace rondo::python
