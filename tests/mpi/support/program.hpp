// Random programs that are correct MPI programs: calls, starts and waits on several communicators, in orders
// that differ between ranks. All ranks draw the same program.
//
// Calls are in one order, which all ranks keep. An exchange is started somewhere between the calls on its own
// communicator: each rank has a place of its own for it, but keeps the order of the starts on a communicator.
// A rank waits for it at a place where it has made all calls that any rank makes before the start. So whoever
// waits has done everything that the others need in order to come to their starts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

namespace rondo::testing {

/// What is called or started.
enum class Deed {
  alltoall,
  alltoallv,
  neighbor,
  plan,     ///< of alltoallv
  dynamic,  ///< only called
  sparse,   ///< only called
  barrier,  ///< MPI's own, only called
};

struct Exchange {
  Deed deed;
  int comm;
  std::uint64_t seed;  ///< of its lengths and bytes
};

struct Start : Exchange {
  std::vector<int> places;  ///< by rank: after so many calls
  int first_wait = 0;       ///< the first place at which a rank may wait for it
};

struct Program {
  std::vector<Exchange> calls;
  std::vector<Start> starts;

  /// Where a rank waits for a start.
  int wait_of(const Start& start, int rank) const {
    const int last = static_cast<int>(calls.size());
    const auto later = static_cast<int>(Random(hash(start.seed, rank, 1)).below(3));
    return std::min(start.first_wait + later, last);
  }
};

/// With barriers only where what is started goes on in them.
inline Program draw_program(std::uint64_t seed, int ranks, int comms, bool has_barriers) {
  Random random(seed);
  Program program;
  const auto draw = [&](int deeds) {
    return Exchange{.deed = static_cast<Deed>(random.below(static_cast<std::uint64_t>(deeds))),
                    .comm = static_cast<int>(random.below(static_cast<std::uint64_t>(comms))),
                    .seed = random.next()};
  };
  constexpr int kStarted = 4;  // deeds
  const int all = has_barriers ? 7 : 6;
  for (std::uint64_t left = 2 + random.below(5); left > 0; --left)
    program.calls.push_back(draw(all));
  const int calls = static_cast<int>(program.calls.size());
  std::vector<int> at;  // the starts are after so many calls
  for (std::uint64_t left = 2 + random.below(10); left > 0; --left)
    at.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(calls) + 1)));
  std::ranges::sort(at);
  for (const int place : at) {
    Start start{draw(kStarted), {}, 0};
    const auto is_on_comm = [&](int call) {
      return program.calls[static_cast<std::size_t>(call)].comm == start.comm;
    };
    constexpr int kApart = 2;
    int low = place;
    while (low > 0 && low > place - kApart && !is_on_comm(low - 1)) --low;
    int high = place;
    while (high < calls && high < place + kApart && !is_on_comm(high)) ++high;
    const auto before =
        std::ranges::find_if(program.starts.rbegin(), program.starts.rend(),
                             [&](const Start& other) { return other.comm == start.comm; });
    for (int rank = 0; rank < ranks; ++rank) {
      const auto later =
          Random(hash(start.seed, rank, 0)).below(static_cast<std::uint64_t>(high - low + 1));
      int own = low + static_cast<int>(later);
      if (before != program.starts.rend())
        own = std::max(own, before->places[static_cast<std::size_t>(rank)]);
      start.places.push_back(own);
    }
    start.first_wait = std::ranges::max(start.places);
    program.starts.push_back(std::move(start));
  }
  return program;
}

}  // namespace rondo::testing
