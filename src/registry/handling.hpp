// What an algorithm does besides the rounds of its schedule: the direction in which it sends blocks, and
// what its cost depends on.
#pragma once

#include <cstdint>

namespace rondo::registry {

/// Upward, as in basic Bruck, block i goes to the rank i above; downward, as in modified Bruck, to the
/// rank i below.
enum class Direction { upward, downward };

/// When the data of a round is a second message, after one with the sizes.
enum class SecondMessage {
  never,
  always,
  when_long,  ///< if they do not fit into one short message
};

/// How the ranks of a sparse exchange learn which messages will come to them.
enum class Discovery {
  none,       ///< every rank receives a message in every round
  lengths,    ///< from an alltoall of lengths
  consensus,  ///< from a barrier, which each rank enters when its messages have been received
  reduction,  ///< from a sum of counters
};

/// The longest short message, in bytes. With MPI's header, the usual transports still send it eagerly.
inline constexpr std::int64_t kShortMessageBytes = 4000;

/// The longest block, in bytes, that fits into a slot. Longer blocks are long.
inline constexpr std::int64_t kLongestSharedBlock = 64 * 1024;

/// The default on several nodes, where what goes between nodes is packed once more.
inline constexpr std::int64_t kThresholdBetweenNodes = 16 * 1024;

/// The shortest pipe, in bytes, through which blocks go in pieces inside a node.
inline constexpr std::int64_t kShortestPipe = 4 * 1024;

/// For a row of Shape::node this describes its log-time rounds between nodes.
struct Handling {
  Direction direction = Direction::upward;
  int whole_copies = 0;      ///< copies of all P blocks, before and after the rounds
  int hop_copies = 0;        ///< copies of a block in every round in which it travels
  bool packs_typed = false;  ///< the MPI library also packs and unpacks, by datatype
  int size_bytes = 0;        ///< sent with every block
  int header_bytes = 0;      ///< sent with every round
  SecondMessage second = SecondMessage::never;
  bool agrees =
      false;          ///< begins with an allreduce of S; runs spread_out beyond RONDO_PADDING_BYTES
  bool pads = false;  ///< every block travels as if it had S bytes
  Discovery discovery = Discovery::none;
};

/// Blocks go straight from the send buffer to the receive buffer.
constexpr Handling straight() {
  return {};
}

/// The same, to a few ranks.
constexpr Handling straight_after(Discovery discovery) {
  return {.discovery = discovery};
}

/// Without a final rotation, blocks must go downward.
constexpr Direction direction_with(int whole_copies) {
  return whole_copies == 2 ? Direction::upward : Direction::downward;
}

/// Uniform blocks are packed and unpacked in every round.
constexpr Handling packed(int whole_copies) {
  return {.direction = direction_with(whole_copies), .whole_copies = whole_copies, .hop_copies = 2};
}

/// The same with MPI datatypes. `hop_copies` is not 0 if arriving blocks land in another buffer first.
constexpr Handling typed(int whole_copies, int hop_copies) {
  return {.direction = direction_with(whole_copies),
          .whole_copies = whole_copies,
          .hop_copies = hop_copies,
          .packs_typed = true};
}

/// Blocks are padded to one length, exchanged by zero_rotation_bruck or (without hop copies) by the MPI
/// library, and copied out in a final scan.
constexpr Handling padded(int hop_copies) {
  return {.direction = hop_copies == 0 ? Direction::upward : Direction::downward,
          .whole_copies = 2,
          .hop_copies = hop_copies,
          .agrees = true,
          .pads = true};
}

/// Each round sends its length first, then sizes and data; a scan ends the exchange. Blocks that have
/// arrived move whenever their buffer doubles, which is at most one more copy.
constexpr Handling announced() {
  return {.whole_copies = 1,
          .hop_copies = 3,
          .size_bytes = 8,
          .header_bytes = 8,
          .second = SecondMessage::always};
}

/// Each round sends its sizes first, then its data.
constexpr Handling two_phase() {
  return {.direction = Direction::downward,
          .hop_copies = 2,
          .size_bytes = 4,
          .second = SecondMessage::always,
          .agrees = true};
}

/// Sizes and data travel together. Blocks in transit stay in the message that brought them, and are
/// copied out at their destination.
constexpr Handling fused() {
  return {.whole_copies = 1,
          .hop_copies = 1,
          .size_bytes = 4,
          .header_bytes = 24,
          .second = SecondMessage::when_long};
}

}  // namespace rondo::registry
