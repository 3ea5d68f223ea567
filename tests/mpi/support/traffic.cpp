#include "support/traffic.hpp"

#include <stdexcept>
#include <string>

#include "support/random.hpp"

namespace rondo::testing {

namespace {

/// In bytes: none, in a cell, in a slot, past the small thresholds, past every threshold.
constexpr int kPairs[] = {0, 1, 6, 7, 40, 1500, 9000};

int any_pairs(std::uint64_t seed, int source, int destination) {
  return kPairs[hash(seed, source, destination) % std::size(kPairs)];
}

/// Each rank has `partners` on average.
bool is_partner(std::uint64_t seed, int source, int destination, int ranks, unsigned partners) {
  return hash(seed, source, destination, 0x5a) % static_cast<unsigned>(ranks) < partners;
}

const Traffic kTraffics[] = {
    {"nothing", [](std::uint64_t, int, int, int) { return 0; }},
    {"one pair to everybody", [](std::uint64_t, int, int, int) { return 1; }},
    {"uneven", [](std::uint64_t seed, int source, int destination,
                  int) { return static_cast<int>(hash(seed, source, destination) % 9); }},
    {"all to one rank",
     [](std::uint64_t seed, int, int destination, int ranks) {
       return destination == static_cast<int>(seed % static_cast<unsigned>(ranks)) ? 20 : 0;
     }},
    {"one rank to all",
     [](std::uint64_t seed, int source, int destination, int ranks) {
       return source == static_cast<int>(seed % static_cast<unsigned>(ranks)) ? destination : 0;
     }},
    {"to the next rank", [](std::uint64_t, int source, int destination,
                            int ranks) { return destination == (source + 1) % ranks ? 300 : 0; }},
    {"long and short", [](std::uint64_t seed, int source, int destination,
                          int) { return any_pairs(seed, source, destination); }},
    {"a long one", [](std::uint64_t, int source, int destination,
                      int ranks) { return source == ranks - 1 && destination == 0 ? 20'000 : 3; }},
    {"few partners",
     [](std::uint64_t seed, int source, int destination, int ranks) {
       if (!is_partner(seed, source, destination, ranks, 2)) return 0;
       return static_cast<int>(hash(seed, source, destination) % 30);
     }},
    {"few partners, long and short",
     [](std::uint64_t seed, int source, int destination, int ranks) {
       if (!is_partner(seed, source, destination, ranks, 3)) return 0;
       return hash(seed, source, destination) % 2 == 0 ? 4 : 3000;
     }},
    {"only to itself",
     [](std::uint64_t, int source, int destination, int) { return source == destination ? 5 : 0; }},
};
constexpr std::size_t kOfFewPartners = 3;

}  // namespace

std::span<const Traffic> traffics() {
  return std::span(kTraffics).first(std::size(kTraffics) - kOfFewPartners);
}

std::span<const Traffic> sparse_traffics() {
  return kTraffics;
}

const Traffic& named_traffic(const char* name) {
  for (const Traffic& traffic : kTraffics)
    if (std::string(traffic.name) == name) return traffic;
  throw std::invalid_argument(name);
}

}  // namespace rondo::testing
