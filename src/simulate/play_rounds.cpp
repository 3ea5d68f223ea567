// Messages between ranks: in rounds, and straight.
#include <algorithm>

#include "simulate/play.hpp"

namespace rondo::simulate {

using model::Batch;

namespace {

constexpr double kMany = 0.125;  ///< the share of blocks that a sample of rounds can stand for

}  // namespace

void Play::exchange(const Batch& batch) {
  const auto stays = [&](const schedule::Round& round) {
    return std::min(round.hop, layout_.ranks - round.hop) < layout_.per_node;
  };
  const Alike step{.rounds = batch.rounds.size(),
                   .stays = std::ranges::any_of(batch.rounds, stays),
                   .blocks = batch.blocks(0)};
  run_.play(step, [&] {
    copy_rounds(batch, batch.packing(), false);
    send_rounds(batch);
    copy_rounds(batch, batch.unpacking(), true);
  });
}

/// The data of a round, by the rank that sends them.
auto Play::data_of(const Batch& batch, std::size_t i) const {
  const double blocks = batch.blocks(i);
  const double padded = handling_.pads ? blocks * sums_.moments().largest : -1;
  return [this, padded, blocks, key = sums_.key(batch.first + i)](int source) {
    return padded >= 0 ? padded : sums_.draw(blocks, key, static_cast<std::uint64_t>(source));
  };
}

void Play::copy_rounds(const Batch& batch, const model::Copies& copies, bool arrived) {
  if (!copies.any()) return;
  auto& clock = run_.now();
  for (std::size_t i = 0; i < batch.rounds.size(); ++i) {
    const double blocks = batch.blocks(i);
    const auto data = data_of(batch, i);
    for (int rank = 0; rank < static_cast<int>(clock.size()); ++rank) {
      const int source =
          arrived ? run_.peers().source_of(rank, batch.rounds[i].hop, batch.group) : rank;
      clock[static_cast<std::size_t>(rank)] +=
          copies.times * run_.copy_seconds(blocks, data(source)) +
          run_.typed_seconds(copies.typed * blocks) + run_.size_seconds(copies.sizes * blocks);
    }
    run_.visited(clock.size());
  }
}

void Play::send_rounds(const Batch& batch) {
  bool has_second = false;
  run_.pass(
      batch.group, batch.rounds,
      [&](std::size_t i) {
        return [&has_second, skips_empty = batch.skips_empty(), message = batch.message(i),
                data = data_of(batch, i)](int source) {
          const double bytes = message.is_split() ? 0 : data(source);
          const bool fits = message.holds(bytes);
          if (!fits) has_second = true;
          const double sent = message.header_bytes + (fits ? bytes : 0);
          return skips_empty && sent == 0 ? -1 : sent;
        };
      },
      is_dense_);
  if (!has_second) return;
  run_.pass(
      batch.group, batch.rounds,
      [&](std::size_t i) {
        return [message = batch.message(i), data = data_of(batch, i)](int source) {
          const double bytes = data(source);
          return message.holds(bytes) ? -1 : bytes;
        };
      },
      false);
}

/// Short blocks, or long ones, go straight. A rank's own is copied.
void Play::send(model::Sent sent, const model::Straight& straight) {
  const bool sends_long = sent == model::Sent::rest;
  if (sends_long && sums_.moments().above_share == 0) return;
  const int ranks = layout_.ranks;
  const auto block = [&](int source, int distance) {
    const double bytes = sums_.single(source, distance);
    return is_long(bytes) == sends_long ? bytes : 0;
  };
  auto& clock = run_.now();
  for (int rank = 0; rank < static_cast<int>(clock.size()); ++rank) {
    const double own = block(rank, ranks);
    clock[static_cast<std::size_t>(rank)] += run_.copy_seconds(own > 0 ? 1 : 0, own);
  }
  const auto destination_of = [&](std::size_t i, int source) {
    const int step = static_cast<int>(i);
    return sends_long ? straight_destination(source, step) : (source + step) % ranks;
  };
  const auto bytes_of = [&](int source, int destination) -> double {
    const bool is_left_out = !straight.reaches_inside && node_of(destination) == node_of(source);
    if (is_left_out || destination == source) return -1;
    const double bytes = block(source, (destination - source + ranks) % ranks);
    return bytes > 0 ? bytes : -1;
  };
  const double share = sums_.moments().above_share;
  run_.pass_straight(static_cast<std::size_t>(ranks), destination_of, bytes_of, straight.in_flight,
                     (sends_long ? share : 1 - share) >= kMany && is_dense_);
}

/// The order of schedule::straight_step().
int Play::straight_destination(int source, int step) const {
  const int local = source % layout_.per_node;
  const int node = (node_of(source) + local + step % layout_.nodes) % layout_.nodes;
  return node * layout_.per_node + (local + step / layout_.nodes) % layout_.per_node;
}

}  // namespace rondo::simulate
