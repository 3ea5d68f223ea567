// What a rank copies and sends in an exchange by a schedule, as lists: no CUDA, no NCCL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace rondo::gpu {

/// The memory in which blocks lie.
enum class Area : std::uint8_t {
  send,      ///< the caller's, by rank
  receive,   ///< the caller's, by rank
  outgoing,  ///< the messages of one phase
  incoming,  ///< the messages of all phases
};

/// Copy one block from a place to another; places are counted in blocks.
struct Copy {
  std::uint32_t from;
  std::uint32_t to;
  Area from_area;
  Area to_area;

  bool operator==(const Copy&) const = default;
};

/// What goes to one rank and comes from another in a round: `blocks` of them each way.
struct Message {
  int to;
  int from;
  std::uint32_t outgoing;  ///< the first block of what goes
  std::uint32_t incoming;  ///< the first block of what comes
  std::uint32_t blocks;
};

/// Copies that may all be done at once, then messages that may all be in flight together.
struct Phase {
  std::vector<Copy> copies;
  std::vector<Message> messages;
};

struct Steps {
  std::vector<Phase> phases;  ///< the last one has no messages
  std::uint32_t outgoing_blocks = 0;
  std::uint32_t incoming_blocks = 0;
};

/// The steps of `rank`. A block lies in the send buffer until it travels first, and afterwards in
/// the message that it came in until it travels again; so every hop costs one copy into a message,
/// and the copies that unpack one phase are done together with those that pack the next.
Steps steps_of(const schedule::Schedule& schedule, int rank);

}  // namespace rondo::gpu
