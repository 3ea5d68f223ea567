// Turns the relative terms of a schedule into ranks: the direction in which blocks travel, their
// sources and their destinations.
#pragma once

#include <span>

#include "engines/context.hpp"

namespace rondo::engines {

/// A rank's view of a schedule. Positions are ranks, or places in node-major order where `rank_at`
/// and `position_of` are given.
class Travel {
 public:
  using Direction = registry::Direction;

  /// For the schedule of a call, in the direction of the algorithm's row.
  explicit Travel(Call& call)
      : schedule_(call.schedule()),
        self_(call.context.rank),
        direction_(call.choice.algorithm->handling.direction) {
    if (schedule_.group().nodes() == 1) return;
    self_ = call.context.nodes.position_of(self_);
    rank_at_ = call.context.nodes.by_position();
  }

  /// For a schedule over some of the ranks: those in `rank_at`, where this rank is at `self`.
  Travel(const schedule::Schedule& schedule, int self, std::span<const int> rank_at,
         Direction direction)
      : schedule_(schedule), self_(self), direction_(direction), rank_at_(rank_at) {}

  const schedule::Schedule& schedule() const { return schedule_; }

  /// Returns the rank to which `name` leads from here: the destination of this rank's own block.
  int destination(int name) const { return rank(step(name, direction_ == Direction::upward)); }

  /// Returns the rank from which `name` leads here: the source of a block that has arrived here.
  int source(int name) const { return rank(step(name, direction_ != Direction::upward)); }

  /// Posts a receive for each of `rounds`, one behind another from `in` on, of bytes_of(round) bytes. Empty
  /// messages are not sent, since both ranks know that they are empty.
  template <class BytesOf>
  void receive(transport::Messages& messages, std::span<const schedule::Round> rounds,
               std::byte* in, int tag, BytesOf&& bytes_of) const {
    for (const schedule::Round& round : rounds) {
      const std::size_t bytes = bytes_of(round);
      if (bytes != 0) messages.receive(in, bytes, source(round.hop), tag);
      in += bytes;
    }
  }

  /// Posts a send for each of `rounds` of what write(round, out), which returns the end, writes behind the
  /// one before, from `out` on.
  template <class Write>
  void send(transport::Messages& messages, std::span<const schedule::Round> rounds, std::byte* out,
            int tag, Write&& write) const {
    for (const schedule::Round& round : rounds) {
      std::byte* const begin = out;
      out = write(round, begin);
      const auto bytes = static_cast<std::size_t>(out - begin);
      if (bytes != 0) messages.send(begin, bytes, destination(round.hop), tag);
    }
  }

 private:
  int step(int name, bool up) const {
    return up ? schedule_.group().add(self_, name) : schedule_.group().subtract(self_, name);
  }
  int rank(int position) const {
    return rank_at_.empty() ? position : rank_at_[static_cast<std::size_t>(position)];
  }

  const schedule::Schedule& schedule_;
  int self_;
  Direction direction_;
  std::span<const int> rank_at_;
};

}  // namespace rondo::engines
