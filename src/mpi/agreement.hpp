// What ranks agree on, by messages of Rondo's own. The MPI library's collectives would not do: where one
// waits, what has been started would not go on, and the exchanges on one communicator that are under way at
// the same time would reach them in an order that differs between ranks.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "base/error.hpp"

namespace rondo::mpi {

/// The ranks that agree, and a tag for their messages.
struct TaggedComm {
  MPI_Comm comm;
  int rank;
  int ranks;
  int tag;
};

/// Sends bytes to the rank `distance` above this one and receives as many from the rank `distance` below.
void send_and_receive(const TaggedComm& tagged_comm, int distance, const void* sent, void* received,
                      std::size_t bytes);

/// Collective. Sends rank 0's bytes to all ranks, along a binomial tree.
void broadcast(const TaggedComm& tagged_comm, std::byte* data, std::size_t bytes);

/// Collective. Replaces every value by combine(one, other) over all ranks' values in its place. `combine` must
/// not depend on the order of the ranks, which differs between ranks. No memory is allocated, so that a rank
/// that has none does not leave the others alone.
///
/// After round i every rank has combined the values of 2^i ranks: its own and those below it (dissemination,
/// Hensgen, Finkel, Manber 1988). P is a sum of such powers, and these disjoint ranges cover all ranks.
/// Every rank sends and receives in every round.
template <class T, class Combine>
void combine_all(const TaggedComm& tagged_comm, std::span<T> values, Combine&& combine) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr std::size_t kAtOnce = std::max<std::size_t>(1, 512 / sizeof(T));
  std::array<T, kAtOnce> parts, others;
  for (; !values.empty(); values = values.subspan(std::min(kAtOnce, values.size()))) {
    const std::span<T> whole = values.first(std::min(kAtOnce, values.size()));
    const std::span<T> part = std::span<T>(parts).first(whole.size());
    const auto add = [&](std::span<T> sum, int distance) {
      send_and_receive(tagged_comm, distance, part.data(), others.data(), part.size_bytes());
      std::ranges::transform(sum, others, sum.begin(), combine);
    };
    std::ranges::copy(whole, part.begin());
    int in_whole = 0;  // ranks
    for (int in_part = 1; in_part <= tagged_comm.ranks; in_part *= 2) {
      if ((tagged_comm.ranks & in_part) != 0) {
        if (in_whole == 0)
          std::ranges::copy(part, whole.begin());
        else
          add(whole, in_whole);
        in_whole += in_part;
      }
      if (2 * in_part <= tagged_comm.ranks) add(part, in_part);
    }
  }
}

/// Collective. The same for one value, which it returns.
template <class T, class Combine>
T combined(const TaggedComm& tagged_comm, T value, Combine&& combine) {
  combine_all(tagged_comm, std::span<T>(&value, 1), combine);
  return value;
}

/// Collective. Return the least and the greatest of all ranks' values. Two of which neither is before the
/// other must be equal.
template <class T, class Projection = std::identity>
T least_of_all(const TaggedComm& tagged_comm, T value, Projection projection = {}) {
  return combined(tagged_comm, value, [&](const T& one, const T& other) {
    return std::ranges::min(one, other, {}, projection);
  });
}
template <class T>
T greatest_of_all(const TaggedComm& tagged_comm, T value) {
  return combined(tagged_comm, value,
                  [](const T& one, const T& other) { return std::max(one, other); });
}

/// Collective. Returns on all ranks the text that `write` makes on rank 0, where it throws nothing but std::bad_alloc.
std::string text_of_rank_0(const TaggedComm& tagged_comm,
                           const std::function<std::string()>& write);

/// Collective. If any rank has a `failure`, all ranks throw: a rank with a failure throws its own,
/// the others throw an error that names the lowest such rank and has its class.
void fail_together(const TaggedComm& tagged_comm, const std::optional<Error>& failure);

/// Collective. An alltoall of one integer: `integers` are by destination, and then by source. `workspace` is
/// for as many. Allocates nothing, either. By the algorithm of Bruck and others (IEEE TPDS 8, 1997).
void exchange_integers(const TaggedComm& tagged_comm, std::span<std::uint64_t> integers,
                       std::span<std::uint64_t> workspace);

/// Collective on a communicator of the program, on which Rondo has no tags. They are the MPI library's
/// collectives, and what has been started goes on meanwhile.
void broadcast_on(MPI_Comm comm, void* data, std::size_t bytes);
void reduce_on(MPI_Comm comm, void* values, int count, MPI_Datatype type, MPI_Op operation);
void gather_on(MPI_Comm comm, const void* own, void* all, std::size_t bytes);

/// Likewise. As fail_together(), and replaces the numbers by the greatest that any rank has in their places. The first
/// one is for the failure.
void fail_together_on(MPI_Comm comm, const std::optional<Error>& failure,
                      std::span<std::int64_t> numbers);
void fail_together_on(MPI_Comm comm, const std::optional<Error>& failure);

}  // namespace rondo::mpi
