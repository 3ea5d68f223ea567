// What ranks agree on. In a call the MPI library's collectives serve. A started exchange must not use
// them: the exchanges beside it on the same communicator reach theirs in an order that differs between
// ranks. It uses messages with tags of its own.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "exchange/messages.hpp"
#include "exchange/mpi_error.hpp"
#include "exchange/outstanding.hpp"

namespace rondo::exchange {

/// The ranks that agree, and a tag for their messages in a started exchange.
struct Circle {
  MPI_Comm comm;
  int rank;
  int ranks;
  int tag;
};

/// Reduces a value by the MPI library.
inline void reduce(MPI_Comm comm, int& value, MPI_Op operation) {
  complete_outstanding();
  check(PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, operation, comm), "MPI_Allreduce");
}
inline void reduce(MPI_Comm comm, std::uint64_t& value, MPI_Op operation) {
  complete_outstanding();
  check(PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, operation, comm), "MPI_Allreduce");
}

/// Collective, in a started exchange. Returns the first of all ranks' values in the order of
/// `before`; two values of which neither is before the other must be equal. After round i every rank
/// knows the first of 2^i values, some of them twice.
template <class T, class Before = std::less<>>
T first_by_messages(const Circle& circle, T value, Before before = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  Messages messages(circle.comm);
  for (int distance = 1; distance < circle.ranks; distance *= 2) {
    const T own = value;
    T other{};
    const int source = (circle.rank - distance + circle.ranks) % circle.ranks;
    messages.receive(reinterpret_cast<std::byte*>(&other), sizeof other, source, circle.tag);
    messages.send(reinterpret_cast<const std::byte*>(&own), sizeof own,
                  (circle.rank + distance) % circle.ranks, circle.tag);
    messages.wait();
    if (before(other, value)) value = other;
  }
  return value;
}

/// Collective. Return the least and the greatest of all ranks' values.
template <std::integral T>
T least_of_all(const Circle& circle, T value) {
  if (Fiber::is_running()) return first_by_messages(circle, value);
  reduce(circle.comm, value, MPI_MIN);
  return value;
}
template <std::integral T>
T greatest_of_all(const Circle& circle, T value) {
  if (Fiber::is_running()) return first_by_messages(circle, value, std::greater<>());
  reduce(circle.comm, value, MPI_MAX);
  return value;
}

/// Collective. Sends rank 0's bytes to all ranks.
void broadcast(const Circle& circle, std::byte* data, std::size_t bytes);

}  // namespace rondo::exchange
