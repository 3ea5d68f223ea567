// The tags of Rondo's messages: the one place that gives them out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rondo::transport {

/// Tags `first`, `first` + 1, ..., of which there are `count`.
struct TagRange {
  int first;
  int count;

  constexpr int end() const { return first + count; }
};

/// The tags of a context: four for each exchange, of which `exchanges` differ, which is a power of two.
struct Tags {
  int first;
  std::uint64_t exchanges;
};

namespace tags {

inline constexpr int kOfExchange = 4;

/// How many exchanges in a row have tags of their own: calls, and nonblocking exchanges of one channel.
inline constexpr int kCallsApart = 4096;
inline constexpr int kStartsApart = 32;
inline constexpr int kMostChannels = 64;
inline constexpr int kOfChannel = kOfExchange * kStartsApart;
inline constexpr int kOfAllChannels = kMostChannels * kOfChannel;

/// Likewise, of one persistent request.
inline constexpr int kPersistentApart = 16;
inline constexpr int kMostPersistent = 64;
inline constexpr int kOfPersistent = kOfExchange * kPersistentApart;
inline constexpr int kOfAllPersistent = kMostPersistent * kOfPersistent;

/// MPI guarantees that 0 .. 32767 are valid.
inline constexpr int kGuaranteed = 32768;

/// All uses, each once. Two that overlapped could take each other's messages: a nonblocking exchange is under
/// way beside any call on its communicator.
enum class Use { calls, no_message, leaders, long_element, channels, persistent };
inline constexpr std::array kCounts{
    kOfExchange * kCallsApart,  // calls
    1,                          // no_message: what mpi::let_mpi_progress() looks for
    2,                          // leaders: one for each direction
    1,                          // long_element: a rank to itself
    kOfAllChannels,             // channels
    kOfAllPersistent,           // persistent
};

/// The ranges lie one after another, so no two overlap.
constexpr TagRange range(Use use) {
  int first = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(use); ++i) first += kCounts[i];
  return {.first = first, .count = kCounts[static_cast<std::size_t>(use)]};
}
static_assert(static_cast<std::size_t>(Use::persistent) + 1 == kCounts.size());
static_assert(range(Use::persistent).end() <= kGuaranteed);

constexpr Tags of_calls() {
  return {.first = range(Use::calls).first, .exchanges = kCallsApart};
}

/// Of channel `number` of nonblocking exchanges, from 0 to kMostChannels - 1.
constexpr Tags of_channel(int number) {
  return {.first = range(Use::channels).first + number * kOfChannel, .exchanges = kStartsApart};
}

/// Of channel `number` of persistent requests, from 0 to kMostPersistent - 1.
constexpr Tags of_persistent(int number) {
  return {.first = range(Use::persistent).first + number * kOfPersistent,
          .exchanges = kPersistentApart};
}

}  // namespace tags

}  // namespace rondo::transport
