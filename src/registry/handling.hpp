// What an algorithm does with its blocks besides the rounds of its schedule: the direction in which
// it sends them, and what its cost depends on.
#pragma once

#include <cstdint>

namespace rondo::registry {

/// Upward, as in basic Bruck, the block named i goes to the rank i above; downward, as in modified
/// Bruck, to the rank i below.
enum class Direction { upward, downward };

/// When the data of a round is a message of its own, behind one of sizes.
enum class SecondMessage {
  never,
  always,
  when_long,  ///< where both do not fit into a short message
};

/// The longest short message, in bytes: with MPI's own header still an eager one of the common
/// transports.
inline constexpr std::int64_t kShortMessageBytes = 4000;

/// The longest block, in bytes, that goes through the memory of a node.
inline constexpr std::int64_t kLongestSharedBlock = 64 * 1024;

/// Of a row of Shape::node: of its rounds between nodes where those are log-time.
struct Handling {
  Direction direction = Direction::upward;
  int whole_copies = 0;      ///< copies of all P blocks, before and after the rounds
  int hop_copies = 0;        ///< copies of a block in every round in which it travels
  bool packs_typed = false;  ///< the MPI library packs and unpacks besides, by datatype
  int size_bytes = 0;        ///< sent with every block
  int header_bytes = 0;      ///< sent with every round
  SecondMessage second = SecondMessage::never;
  bool agrees = false;  ///< begins with an allreduce of S; spread_out beyond RONDO_PADDING_BYTES
  bool pads = false;    ///< every block travels as if it had S bytes
};

}  // namespace rondo::registry
