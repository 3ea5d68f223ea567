// Blocks of random length and their bytes, by (seed, call, source, destination).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/mix.hpp"

namespace rondo::testing {

/// How long the blocks of an exchange are.
enum class Skew { equal, random, mostly_zero, one_long, zero };

inline constexpr Skew kSkews[] = {Skew::equal, Skew::random, Skew::mostly_zero, Skew::one_long,
                                  Skew::zero};

struct Traffic {
  int ranks;
  std::size_t longest;  ///< elements
  Skew skew;
  std::uint64_t seed;

  std::uint64_t bits(int source, int destination) const {
    return mix(seed + kGoldenGamma * static_cast<std::uint64_t>(source * ranks + destination + 1));
  }

  std::size_t length(int source, int destination) const {
    const std::uint64_t drawn = bits(source, destination);
    switch (skew) {
      case Skew::equal:
        return longest;
      case Skew::random:
        return between(drawn, 0, longest);
      case Skew::mostly_zero:
        return drawn % 4 == 0 ? between(mix(drawn), 0, longest) : 0;
      case Skew::one_long:
        return source == 0 && destination == ranks - 1 ? longest : drawn % 8;
      case Skew::zero:
        return 0;
    }
    return 0;
  }

  std::byte byte(int source, int destination, std::size_t at) const {
    return static_cast<std::byte>(mix(bits(source, destination) + at / 8) >> at % 8 * 8);
  }
};

/// One side of a rank: counts and displacements in elements, with a gap before every block.
struct Side {
  std::vector<std::size_t> counts;
  std::vector<std::size_t> displacements;
  std::size_t elements = 0;

  template <class LengthOf>
  Side(int ranks, std::size_t gap, LengthOf&& length_of) {
    for (int rank = 0; rank < ranks; ++rank) {
      counts.push_back(length_of(rank));
      displacements.push_back(elements + gap);
      elements += gap + counts.back();
    }
  }
};

}  // namespace rondo::testing
