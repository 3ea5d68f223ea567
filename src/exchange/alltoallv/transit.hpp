// The blocks of a non-uniform Bruck exchange at one rank: which bytes each name stands for now, and
// where those that arrive go.
#pragma once

#include <optional>
#include <span>

#include "exchange/mismatch.hpp"
#include "exchange/travel.hpp"

namespace rondo::exchange::alltoallv {

class Transit {
 public:
  /// Every name stands for this rank's own block; the block of this rank to itself is delivered.
  Transit(Call& call, const Variable& blocks, const Travel& travel);

  /// Names are 0 to names() - 1.
  int names() const { return schedule().ranks(); }
  const Travel& travel() const { return travel_; }
  const schedule::Schedule& schedule() const { return travel_.schedule(); }

  const ConstBlock& held(int name) const { return held_[static_cast<std::size_t>(name)]; }
  void hold(int name, ConstBlock block) { held_[static_cast<std::size_t>(name)] = block; }

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

  /// A block has arrived at this rank as its destination.
  void deliver(int name, ConstBlock block);

  /// The Error(truncate) of a delivered block that had not the length that this rank expected; what
  /// did not fit was not written.
  std::optional<Error> mismatch() const { return mismatch_.error(rank_); }

 private:
  const Variable& blocks_;
  int rank_;
  Travel travel_;
  std::span<ConstBlock> held_;
  Mismatch mismatch_;
};

/// The lengths of the blocks that arrive in a round, by name in ascending order: taken from a
/// plan's memory if it is complete, else from `arrived(index)`, and remembered if there is a plan.
template <class Arrived, class Visit>
void for_each_arriving(Call& call, const schedule::Round& round, Arrived&& arrived, Visit&& visit) {
  std::size_t index = 0;
  round.blocks.for_each([&](int name) {
    std::size_t bytes = 0;
    if (call.sizes_known()) {
      bytes = call.learned->recall();
    } else {
      bytes = arrived(index++);
      if (call.learned != nullptr) call.learned->record(bytes);
    }
    visit(name, bytes);
  });
}

}  // namespace rondo::exchange::alltoallv
