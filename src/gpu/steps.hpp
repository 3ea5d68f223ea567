// What a rank copies and sends in an exchange, as lists made from a schedule. Uses neither CUDA nor
// NCCL.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace rondo::gpu {

/// The memory areas of blocks.
enum class Area : std::uint8_t {
  send,      ///< the caller's send buffer, by rank
  receive,   ///< the caller's receive buffer, by rank
  outgoing,  ///< the messages of one phase
  incoming,  ///< the messages of all phases
};

/// A copy of one block. Places are counted in blocks.
struct Copy {
  std::uint32_t from;
  std::uint32_t to;
  Area from_area;
  Area to_area;

  bool operator==(const Copy&) const = default;
};

/// The message to one rank and the message from another in a round, each of `blocks` blocks.
struct Message {
  int to;
  int from;
  std::uint32_t outgoing;  ///< its first block in Area::outgoing
  std::uint32_t incoming;  ///< its first block in Area::incoming
  std::uint32_t blocks;
};

/// Copies that may all be made at the same time, then messages that may all be in flight together.
struct Phase {
  std::vector<Copy> copies;
  std::vector<Message> messages;
};

struct Steps {
  std::vector<Phase> phases;  ///< the last one has no messages
  std::uint32_t outgoing_blocks = 0;
  std::uint32_t incoming_blocks = 0;
};

/// Returns the steps of `rank`. A block stays in the send buffer until its first hop, and
/// afterwards in the message it came in until its next hop. So every hop costs one copy into a
/// message, and the copies that unpack one phase are made together with the copies that pack the
/// next.
Steps steps_of(const schedule::Schedule& schedule, int rank);

}  // namespace rondo::gpu
