// The report at the end of a program, as text.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>

#include "communicator/state.hpp"
#include "interpose/part.hpp"

namespace rondo::interpose {

/// What one line of the report is about.
struct Key {
  buffers::Form form;
  int ranks;      ///< of the communicator
  int band;       ///< of the longest block that the rank sends; see band_of
  int algorithm;  ///< row of the registry; -1 where the call was left to the MPI library

  auto operator<=>(const Key&) const = default;
};

/// Sums over calls and ranks.
struct Totals {
  std::int64_t calls = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;

  Totals& operator+=(const Totals& more) {
    calls += more.calls;
    bytes += more.bytes;
    seconds += more.seconds;
    return *this;
  }
};

struct Line {
  Key key;
  Totals totals;
};

/// Calls that are the MPI library's own: by Call, then by Form on inter-communicators.
inline constexpr std::size_t kUnhandled = kCalls + buffers::kFormNames.size();
using Unhandled = std::array<std::int64_t, kUnhandled>;

/// Bands end at 0, 16, 64, 256, ... bytes.
int band_of(std::uint64_t bytes);

struct World {
  int ranks;
  int counting;  ///< those whose environment asked for it
};

/// On stderr.
void print_report(World world, const std::map<Key, Totals>& lines, const Unhandled& unhandled);

}  // namespace rondo::interpose
