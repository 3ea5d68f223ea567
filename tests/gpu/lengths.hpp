// Blocks of random length and their bytes, by (seed, call, source, destination).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mix.hpp"

namespace rondo::testing {

inline constexpr std::byte kPoison{0xa5};

/// The lengths of the blocks of an exchange.
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
        return source == 0 && destination == ranks - 1
                   ? longest
                   : between(drawn, 0, std::min<std::size_t>(longest, 7));
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
    elements += gap + 1;
  }

  /// Element i of a peer's block is `byte_of(peer, i)`; poison is around the blocks.
  template <class ByteOf>
  std::vector<std::byte> image(ByteOf&& byte_of) const {
    std::vector<std::byte> bytes(elements, kPoison);
    for (std::size_t peer = 0; peer < counts.size(); ++peer)
      for (std::size_t i = 0; i < counts[peer]; ++i)
        bytes[displacements[peer] + i] = byte_of(static_cast<int>(peer), i);
    return bytes;
  }
};

/// Both sides of a rank, in exchanges of one shape.
struct Sides {
  int rank;
  Side out;
  Side in;

  Sides(const Traffic& shape, int own_rank, std::size_t gap)
      : rank(own_rank),
        out(shape.ranks, gap, [&](int peer) { return shape.length(rank, peer); }),
        in(shape.ranks, gap, [&](int peer) { return shape.length(peer, rank); }) {}

  std::vector<std::byte> sent(const Traffic& data) const {
    return out.image([&](int peer, std::size_t i) { return data.byte(rank, peer, i); });
  }
  std::vector<std::byte> received(const Traffic& data) const {
    return in.image([&](int peer, std::size_t i) { return data.byte(peer, rank, i); });
  }
};

}  // namespace rondo::testing
