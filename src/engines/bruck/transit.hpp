// The blocks of a non-uniform Bruck exchange at one rank: the bytes that each name stands for now,
// and the places of the blocks that arrive.
#pragma once

#include <span>

#include "engines/mismatch.hpp"
#include "engines/travel.hpp"

namespace rondo::engines {

class Transit {
 public:
  /// How lengths are treated.
  struct Lengths {
    std::size_t limit = SIZE_MAX;  ///< only the length of a longer block travels
    Mismatch* mismatch = nullptr;  ///< null if `receive` has room, not expected lengths
    bool are_unknown = false;      ///< blocks that have arrived are held, for deliver_all()
  };

  /// At first every name stands for this rank's own block. Delivers this rank's block to itself,
  /// unless lengths are unknown.
  Transit(Call& call, const Blocks& blocks, const Travel& travel, const Lengths& lengths);

  /// Names are 0 to names() - 1.
  int names() const { return schedule().ranks(); }
  const Travel& travel() const { return travel_; }
  const schedule::Schedule& schedule() const { return travel_.schedule(); }

  const ConstBlock& held(int name) const { return held_[static_cast<std::size_t>(name)]; }
  void hold(int name, ConstBlock block) { held_[static_cast<std::size_t>(name)] = block; }

  /// Returns how many bytes of a block of `bytes` bytes travel.
  std::size_t travelling(std::size_t bytes) const { return bytes <= lengths_.limit ? bytes : 0; }

  /// Returns the bytes of the blocks that leave in a round.
  std::size_t leaving_bytes(const schedule::Round& round) const;

  /// Writes the lengths of the blocks that leave in a round. Returns the end.
  template <class Size>
  Size* pack_sizes(const schedule::Round& round, Size* out) const {
    round.blocks.for_each([&](int name) { *out++ = static_cast<Size>(held(name).bytes); });
    return out;
  }

  /// Writes the blocks that leave in a round. Returns the end. A failed rank's block, which has no
  /// data, is sent as zeros.
  std::byte* pack(const schedule::Round& round, std::byte* out) const;

  /// Holds nothing more for the names that have left in a round.
  void release(const schedule::Round& round) {
    round.blocks.for_each([&](int name) { hold(name, {}); });
  }

  /// Delivers a block that has arrived or, if lengths are unknown, holds it.
  void take(int name, ConstBlock block) {
    if (lengths_.are_unknown)
      hold(name, block);
    else
      deliver(name, block);
  }

  /// If lengths are unknown, and when all blocks have arrived: writes the lengths, has the blocks
  /// placed in `blocks`, which must be those of the constructor, and delivers them.
  void deliver_all(Incoming& incoming, Blocks& blocks);

  /// Delivers a block that has arrived at its destination, this rank. Without data only its length
  /// has arrived. Bytes that do not fit are not written.
  void deliver(int name, ConstBlock block);

 private:
  const Blocks& blocks_;
  Travel travel_;
  Lengths lengths_;
  std::span<ConstBlock> held_;
};

/// The lengths of the blocks that arrive in one execution, round after round.
class ArrivingLengths {
 public:
  explicit ArrivingLengths(Call& call) : call_(call) {}

  /// Calls visit(name, bytes) for the blocks of the next round, in ascending order of their names.
  /// Lengths that were sent are arrived(index), and a learning plan stores them. Otherwise the plan
  /// knows them.
  template <class Arrived, class Visit>
  void next_round(const schedule::Round& round, bool were_sent, Arrived&& arrived, Visit&& visit) {
    const std::size_t first = at_;
    round.blocks.for_each([&](int name) {
      const std::size_t bytes = were_sent ? arrived(at_ - first) : call_.learned->arriving[at_];
      if (call_.is_learning()) call_.learned->arriving.push_back(bytes);
      ++at_;
      visit(name, bytes);
    });
  }

  /// Returns the bytes of the next round, which the plan knows.
  std::size_t known_bytes(const schedule::Round& round) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(round.blocks.size()); ++i)
      bytes += call_.learned->arriving[at_ + i];
    return bytes;
  }

 private:
  Call& call_;
  std::size_t at_ = 0;
};

}  // namespace rondo::engines
