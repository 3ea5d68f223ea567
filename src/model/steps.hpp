// The steps of an exchange as data: messages in flight together, and their copies.
//
// A step is the same for all ranks in relative terms, so it takes no memory for each of them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "registry/handling.hpp"
#include "schedule/node_schedule.hpp"
#include "schedule/schedule.hpp"

namespace rondo::model {

inline constexpr double kAgreementBytes = 8;    ///< one number
inline constexpr double kSizeBytes = 8;         ///< a length, or a counter
inline constexpr double kStatusBytes = 16;      ///< a message of a consensus
inline constexpr double kNodeHeaderBytes = 24;  ///< before the blocks of a message between nodes

/// Before each of them. From 253 bytes on there are five, which does not matter beside so many.
inline constexpr double kNodeLengthBytes = 1;
inline constexpr double kMostNodeLengthBytes = 5;

// Random lengths belong to a round, or to one of these copies. Rounds count from 0.
inline constexpr std::uint64_t kWholeDraw = ~std::uint64_t{0};
inline constexpr std::uint64_t kOutOfSlotsDraw = kWholeDraw - 1;
inline constexpr std::uint64_t kPackedDraw = kWholeDraw - 2;

/// A header with sizes, and the data. Data that do not fit go in a second message.
struct Message {
  double header_bytes = 0;
  double room_bytes = std::numeric_limits<double>::infinity();  ///< for both

  bool is_split() const { return room_bytes < 0; }
  bool holds(double data_bytes) const { return header_bytes + data_bytes <= room_bytes; }
};

/// A message of `blocks` blocks.
Message message_of(const registry::Handling& handling, double blocks);

/// How often the blocks of a round are copied on one side.
struct Copies {
  int times = 0;
  int typed = 0;  ///< of these, by the MPI library with a datatype
  int sizes = 0;  ///< how often their sizes are read or written

  bool any() const { return times + sizes > 0; }
};

/// Rounds in flight together. Every rank packs, sends a message of each round, and unpacks.
struct Batch {
  const schedule::Group& group;
  std::span<const schedule::Round> rounds;
  const registry::Handling& handling;
  std::uint64_t first;  ///< the number of its first round

  double blocks(std::size_t i) const { return rounds[i].blocks.size(); }
  Message message(std::size_t i) const { return message_of(handling, blocks(i)); }
  Copies packing() const { return copies((handling.hop_copies + 1) / 2); }
  Copies unpacking() const { return copies(handling.hop_copies / 2); }

  /// Whether both ends know that a message is empty, so that it is not sent.
  bool skips_empty() const {
    return handling.hop_copies == 0 && handling.header_bytes == 0 && !handling.packs_typed &&
           !handling.pads;
  }

 private:
  Copies copies(int own) const {
    const int typed = handling.packs_typed ? 1 : 0;
    return {.times = own + typed, .typed = typed, .sizes = handling.size_bytes > 0 ? 1 : 0};
  }
};

/// A message from every node to the one `hop` above. Sender and receiver have the same local number.
/// With hop 0 nothing is sent: the leader packs what its lane sends in log-time rounds.
struct NodeMessage {
  int leader = 0;  ///< that number
  int hop = 0;
  Message message{};
  double blocks = 0;       ///< from rank to rank
  double pieces = 0;       ///< copied before it is sent
  double times = 1;        ///< how often its data are copied
  double sizes = 0;        ///< read and written
  std::size_t posted = 0;  ///< receives of the leader when it arrives
  std::uint64_t draw = kPackedDraw;
  int lane = 0;  ///< of `lanes` that have this draw
  int lanes = 1;
};

/// The messages of the largest node's leaders in one phase.
std::vector<NodeMessage> messages_of(const schedule::NodeSchedule& schedule,
                                     const registry::Handling& handling, int phase);

/// The content of a message that goes straight to its rank.
enum class Sent {
  whole,   ///< a short block
  start,   ///< its length, and a short block
  rest,    ///< a long block; there is no message for a short one
  answer,  ///< nothing, in the other direction
};

}  // namespace rondo::model
