// Blocks of random length and their bytes, by (seed, call, source, destination).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
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

  void write(int source, int destination, std::span<std::byte> block) const {
    const std::uint64_t first = bits(source, destination);
    for (std::size_t at = 0; at < block.size(); at += sizeof(first)) {
      const std::uint64_t word = mix(first + at);
      std::memcpy(&block[at], &word, std::min(sizeof(word), block.size() - at));
    }
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

  /// `write(peer, block)` writes a peer's block; poison is around the blocks.
  template <class Write>
  std::vector<std::byte> image(Write&& write) const {
    std::vector<std::byte> bytes(elements, kPoison);
    for (std::size_t peer = 0; peer < counts.size(); ++peer)
      write(static_cast<int>(peer), std::span(bytes).subspan(displacements[peer], counts[peer]));
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
    return out.image([&](int peer, std::span<std::byte> block) { data.write(rank, peer, block); });
  }
  std::vector<std::byte> received(const Traffic& data) const {
    return in.image([&](int peer, std::span<std::byte> block) { data.write(peer, rank, block); });
  }
};

}  // namespace rondo::testing
