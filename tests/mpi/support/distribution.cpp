#include "support/distribution.hpp"

#include "support/random.hpp"

namespace rondo::testing {

namespace {

std::uint64_t draw(Pair pair, std::uint64_t seed) {
  return hash(seed, pair.source, pair.destination);
}

/// A rank or a pair that the seed picks out.
std::uint64_t chosen(std::uint64_t seed, int salt, std::uint64_t limit) {
  return hash(seed, 0x70, salt) % limit;
}

std::size_t constant(std::size_t bytes, Pair, std::uint64_t) {
  return bytes;
}

std::size_t up_to(std::size_t bytes, Pair pair, std::uint64_t seed) {
  return draw(pair, seed) % (bytes + 1);
}

std::size_t sparse(std::size_t bytes, Pair pair, std::uint64_t seed) {
  return draw(pair, seed) % 4 == 0 ? bytes : 0;
}

std::size_t hot_pair(std::size_t bytes, Pair pair, std::uint64_t seed) {
  const auto ranks = static_cast<std::uint64_t>(pair.ranks);
  const bool hot = static_cast<std::uint64_t>(pair.source) == chosen(seed, 0, ranks) &&
                   static_cast<std::uint64_t>(pair.destination) == chosen(seed, 1, ranks);
  return hot ? bytes : draw(pair, seed) % 17;
}

/// Few long blocks and many short ones: the k-th of equally likely classes has bytes / k^2.
std::size_t power_law(std::size_t bytes, Pair pair, std::uint64_t seed) {
  const std::uint64_t divisor = 1 + draw(pair, seed) % 32;
  return bytes / (divisor * divisor);
}

std::size_t one_sends(std::size_t bytes, Pair pair, std::uint64_t seed) {
  const auto sender = chosen(seed, 2, static_cast<std::uint64_t>(pair.ranks));
  return static_cast<std::uint64_t>(pair.source) == sender ? up_to(bytes, pair, seed) + 1 : 0;
}

std::size_t one_receives(std::size_t bytes, Pair pair, std::uint64_t seed) {
  const auto receiver = chosen(seed, 3, static_cast<std::uint64_t>(pair.ranks));
  return static_cast<std::uint64_t>(pair.destination) == receiver ? up_to(bytes, pair, seed) + 1
                                                                  : 0;
}

constexpr Distribution kRows[] = {
    {"zero", 0, constant},
    {"uniform 0..1", 1, up_to},
    {"uniform 0..8", 8, up_to},
    {"uniform 0..64", 64, up_to},
    {"uniform 0..1000", 1000, up_to},
    {"uniform 0..20000", 20000, up_to},
    {"sparse", 200, sparse},
    {"hot pair", 300000, hot_pair},
    {"power law", 8192, power_law},
    {"constant", 48, constant},
    {"one sends", 3000, one_sends},
    {"one receives", 3000, one_receives},
};

constexpr Distribution kUniformRows[] = {
    {"constant 0", 0, constant},       {"constant 1", 1, constant},
    {"constant 8", 8, constant},       {"constant 64", 64, constant},
    {"constant 1000", 1000, constant}, {"constant 20000", 20000, constant},
};

}  // namespace

std::span<const Distribution> distributions() {
  return kRows;
}
std::span<const Distribution> uniform_distributions() {
  return kUniformRows;
}

}  // namespace rondo::testing
