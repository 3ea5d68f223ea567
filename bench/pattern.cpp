#include "pattern.hpp"

#include <algorithm>
#include <cstring>

#include "random.hpp"

namespace rondo::bench {

namespace {

/// Calls visit(offset, length, word) for every word of a block of `bytes` bytes; the last word may be
/// cut short. Byte by byte, the check would take longer than the exchange.
template <class Visit>
void for_each_word(std::size_t bytes, const BlockName& name, Visit&& visit) {
  std::uint64_t state = hash(Draw::data, {name.seed, static_cast<std::uint64_t>(name.iteration),
                                          static_cast<std::uint64_t>(name.source),
                                          static_cast<std::uint64_t>(name.destination)});
  for (std::size_t offset = 0; offset < bytes; offset += sizeof(std::uint64_t)) {
    state += kGoldenGamma;
    visit(offset, std::min(bytes - offset, sizeof(std::uint64_t)), mix(state));
  }
}

}  // namespace

void fill_pattern(std::span<std::byte> block, const BlockName& name) {
  for_each_word(block.size(), name,
                [&](std::size_t offset, std::size_t length, std::uint64_t word) {
                  std::memcpy(block.data() + offset, &word, length);
                });
}

std::uint64_t count_wrong_bytes(std::span<const std::byte> block, const BlockName& name) {
  std::uint64_t wrong = 0;
  for_each_word(block.size(), name,
                [&](std::size_t offset, std::size_t length, std::uint64_t word) {
                  if (std::memcmp(block.data() + offset, &word, length) == 0) return;
                  const auto expected = std::as_bytes(std::span(&word, 1));
                  for (std::size_t i = 0; i < length; ++i)
                    if (block[offset + i] != expected[i]) ++wrong;
                });
  return wrong;
}

std::uint64_t count_unpoisoned_bytes(std::span<const std::byte> gap) {
  return static_cast<std::uint64_t>(
      std::count_if(gap.begin(), gap.end(), [](std::byte byte) { return byte != kPoison; }));
}

}  // namespace rondo::bench
