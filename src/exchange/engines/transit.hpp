// The blocks of a non-uniform Bruck exchange at one rank: which bytes each name stands for now, and
// where those that arrive go.
#pragma once

#include <span>

#include "exchange/mismatch.hpp"
#include "exchange/travel.hpp"

namespace rondo::exchange::engines {

class Transit {
 public:
  /// How lengths are looked at.
  struct Lengths {
    std::size_t limit = SIZE_MAX;  ///< of a longer block nothing travels but its length
    Mismatch* mismatch = nullptr;  ///< notes wrong ones; null: `receive` is room, not expectation
  };

  /// Every name stands for this rank's own block; the block of this rank to itself is delivered.
  Transit(Call& call, const Blocks& blocks, const Travel& travel, const Lengths& lengths);

  /// Names are 0 to names() - 1.
  int names() const { return schedule().ranks(); }
  const Travel& travel() const { return travel_; }
  const schedule::Schedule& schedule() const { return travel_.schedule(); }

  const ConstBlock& held(int name) const { return held_[static_cast<std::size_t>(name)]; }
  void hold(int name, ConstBlock block) { held_[static_cast<std::size_t>(name)] = block; }

  /// What travels of a block of `bytes` bytes.
  std::size_t travelling(std::size_t bytes) const { return bytes <= lengths_.limit ? bytes : 0; }

  /// Bytes of the blocks that leave in a round.
  std::size_t leaving_bytes(const schedule::Round& round) const;

  /// Write the lengths of the blocks that leave in a round; returns the end.
  template <class Size>
  Size* pack_sizes(const schedule::Round& round, Size* out) const {
    round.blocks.for_each([&](int name) { *out++ = static_cast<Size>(held(name).bytes); });
    return out;
  }

  /// Write the blocks that leave in a round; returns the end. A block without data (of a rank that
  /// failed) is sent as zeros.
  std::byte* pack(const schedule::Round& round, std::byte* out) const;

  /// Hold nothing for the names that left in a round.
  void release(const schedule::Round& round) {
    round.blocks.for_each([&](int name) { hold(name, {}); });
  }

  /// A block has arrived at this rank as its destination. Without data only its length has; what
  /// does not fit is not written.
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

  /// Call visit(name, bytes) for the blocks of the next round, by name in ascending order. Lengths
  /// that have travelled are arrived(index), and a plan that learns remembers them; else the plan
  /// knows them.
  template <class Arrived, class Visit>
  void next_round(const schedule::Round& round, bool have_travelled, Arrived&& arrived,
                  Visit&& visit) {
    const std::size_t first = at_;
    round.blocks.for_each([&](int name) {
      const std::size_t bytes =
          have_travelled ? arrived(at_ - first) : call_.learned->arriving[at_];
      if (call_.is_learning()) call_.learned->arriving.push_back(bytes);
      ++at_;
      visit(name, bytes);
    });
  }

  /// All bytes of the next round, as the plan knows them.
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

}  // namespace rondo::exchange::engines
