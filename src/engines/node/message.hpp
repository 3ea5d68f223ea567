// A message from one node to another, in flight and in the landing area: a header and, unless a rank of the
// sending node has failed, the runs of that node's ranks. A run is what one rank sends to the other node:
// blocks, each preceded by its length (preceded.hpp).
#pragma once

#include <new>
#include <span>

#include "base/status.hpp"
#include "engines/context.hpp"

namespace rondo::engines {

struct NodeHeader {
  std::uint64_t bytes = 0;  ///< of the runs
  Status status{};          ///< of the sending node
};

inline std::size_t message_bytes(const NodeHeader& header) {
  return sizeof header + header.bytes;
}

inline const std::byte* blocks_of(const NodeHeader& header) {
  return reinterpret_cast<const std::byte*>(&header + 1);
}

/// Writes a message. Returns its end.
inline std::byte* write_message(const Status& status, std::span<const ConstBlock> runs,
                                std::byte* to) {
  auto& header = *new (to) NodeHeader{.status = status};
  std::byte* at = to + sizeof header;
  for (const ConstBlock& run : runs) {
    copy_bytes(at, run.data, run.bytes);
    at += run.bytes;
  }
  header.bytes = static_cast<std::uint64_t>(at - to) - sizeof header;
  return at;
}

/// Packs every message that for_each(visit) visits, and calls ready(message, data, bytes) for each. A message
/// has count(message) runs, and run(message, i) returns the i-th. There are at most `most_runs` in all.
template <class ForEach, class Count, class Run, class Ready>
void pack_messages(Context& context, const Status& status, std::size_t most_runs,
                   ForEach&& for_each, Count&& count, Run&& run, Ready&& ready) {
  const auto runs = context.scratch.array<ConstBlock>(Scratch::kNodeRuns, most_runs);
  const auto count_of = [&](const auto& message) {
    return status.has_failure() ? 0 : static_cast<std::size_t>(count(message));
  };
  std::size_t found = 0;
  std::size_t bytes = 0;
  for_each([&](const auto& message) {
    std::size_t length = sizeof(NodeHeader);
    const std::size_t number = count_of(message);
    for (std::size_t i = 0; i < number; ++i) length += (runs[found++] = run(message, i)).bytes;
    bytes += round_up(length, alignof(NodeHeader));
  });
  std::byte* at = context.scratch.bytes(Scratch::kNodeMessages, bytes);
  std::size_t packed = 0;
  for_each([&](const auto& message) {
    const std::size_t number = count_of(message);
    const std::byte* const end = write_message(status, runs.subspan(packed, number), at);
    const auto length = static_cast<std::size_t>(end - at);
    packed += number;
    ready(message, at, length);
    at += round_up(length, alignof(NodeHeader));
  });
}

}  // namespace rondo::engines
