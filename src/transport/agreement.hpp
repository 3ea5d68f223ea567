// What ranks agree on, by messages of Rondo's own. The MPI library's collectives would not do: where one
// waits, what has been started would not go on, and the exchanges on one communicator that are under way at
// the same time would reach them in an order that differs between ranks. No MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "transport/transport.hpp"

namespace rondo::transport {

/// The ranks that agree, and a tag for their messages.
struct Tagged {
  Transport& transport;
  int tag;

  int rank() const { return transport.rank(); }
  int ranks() const { return transport.ranks(); }
};

/// Sends bytes to the rank `distance` above this one and receives as many from the rank `distance` below.
void send_and_receive(const Tagged& tagged, int distance, const void* sent, void* received,
                      std::size_t bytes);

/// Some of the ranks, or all if there is no list.
struct Among {
  int self;   ///< which of them this rank is
  int count;  ///< how many there are
  std::span<const int> ranks{};
};

/// Collective over all ranks, each with those that it belongs to. The first of these sends its bytes to the others,
/// along a binomial tree.
void broadcast(const Tagged& tagged, const Among& among, std::byte* data, std::size_t bytes);

/// The same among all ranks.
void broadcast(const Tagged& tagged, std::byte* data, std::size_t bytes);

/// Replaces the values by those of all ranks combined, which have been gathered.
template <class T, class Combine>
void combine_gathered(const std::byte* all, int ranks, std::span<T> values, Combine&& combine) {
  for (int rank = 0; rank < ranks; ++rank)
    for (T& value : values) {
      T other;
      std::memcpy(&other, all, sizeof other);
      all += sizeof other;
      value = rank == 0 ? other : combine(value, other);
    }
}

/// Collective. Replaces every value by combine(one, other) over all ranks' values in its place. `combine` must
/// not depend on the order of the ranks, which differs between ranks. No memory is allocated, so that a rank
/// that has none does not leave the others alone.
///
/// After round i every rank has combined the values of 2^i ranks: its own and those below it (dissemination,
/// Hensgen, Finkel, Manber 1988). P is a sum of such powers, and these disjoint ranges cover all ranks.
/// Every rank sends and receives in every round.
template <class T, class Combine>
void combine_all(const Tagged& tagged, std::span<T> values, Combine&& combine) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= Transport::kMostGathered);
  constexpr std::size_t kAtOnce = std::max<std::size_t>(1, 512 / sizeof(T));
  std::array<T, kAtOnce> parts, others;
  for (; !values.empty(); values = values.subspan(std::min(kAtOnce, values.size()))) {
    const std::span<T> whole = values.first(std::min(kAtOnce, values.size()));
    if (!tagged.transport.has_messages()) {
      combine_gathered(tagged.transport.gather(whole.data(), whole.size_bytes()), tagged.ranks(),
                       whole, combine);
      continue;
    }
    const std::span<T> part = std::span<T>(parts).first(whole.size());
    const auto add = [&](std::span<T> sum, int distance) {
      send_and_receive(tagged, distance, part.data(), others.data(), part.size_bytes());
      std::ranges::transform(sum, others, sum.begin(), combine);
    };
    std::ranges::copy(whole, part.begin());
    int in_whole = 0;  // ranks
    for (int in_part = 1; in_part <= tagged.ranks(); in_part *= 2) {
      if ((tagged.ranks() & in_part) != 0) {
        if (in_whole == 0)
          std::ranges::copy(part, whole.begin());
        else
          add(whole, in_whole);
        in_whole += in_part;
      }
      if (2 * in_part <= tagged.ranks()) add(part, in_part);
    }
  }
}

/// Collective. The same for one value, which it returns.
template <class T, class Combine>
T combined(const Tagged& tagged, T value, Combine&& combine) {
  combine_all(tagged, std::span<T>(&value, 1), combine);
  return value;
}

/// Collective. Return the least and the greatest of all ranks' values. Two of which neither is before the
/// other must be equal.
template <class T, class Projection = std::identity>
T least_of_all(const Tagged& tagged, T value, Projection projection = {}) {
  return combined(tagged, value, [&](const T& one, const T& other) {
    return std::ranges::min(one, other, {}, projection);
  });
}
template <class T>
T greatest_of_all(const Tagged& tagged, T value) {
  return combined(tagged, value, [](const T& one, const T& other) { return std::max(one, other); });
}

/// Collective. Returns on all ranks the text that `write` makes on rank 0, where it throws nothing but std::bad_alloc.
std::string text_of_rank_0(const Tagged& tagged, const std::function<std::string()>& write);

/// Collective. If any rank has a `failure`, all ranks throw: a rank with a failure throws its own,
/// the others throw an error that names the lowest such rank and has its class.
void fail_together(const Tagged& tagged, const std::optional<Error>& failure);

/// Collective. An alltoall of one integer: `integers` are by destination, and then by source. `workspace` is
/// for as many. Allocates nothing, either. By the algorithm of Bruck and others (IEEE TPDS 8, 1997).
void exchange_integers(const Tagged& tagged, std::span<std::uint64_t> integers,
                       std::span<std::uint64_t> workspace);

}  // namespace rondo::transport
