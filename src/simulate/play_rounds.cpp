// Messages between ranks: in rounds, and straight.
#include "simulate/play.hpp"

namespace rondo::simulate {

using model::Batch;

void Play::exchange(const Batch& batch) {
  copy_rounds(batch, batch.packing(), false);
  send_rounds(batch);
  copy_rounds(batch, batch.unpacking(), true);
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
  if (copies.times + copies.sizes == 0) return;
  auto& clock = run_.now();
  for (std::size_t i = 0; i < batch.rounds.size(); ++i) {
    const double blocks = batch.blocks(i);
    const auto data = data_of(batch, i);
    for (int rank = 0; rank < static_cast<int>(clock.size()); ++rank) {
      const int source = arrived ? batch.group.subtract(rank, batch.rounds[i].hop) : rank;
      clock[static_cast<std::size_t>(rank)] +=
          copies.times * run_.copy_seconds(blocks, data(source)) +
          run_.typed_seconds(copies.typed * blocks) + run_.size_seconds(copies.sizes * blocks);
    }
  }
}

void Play::send_rounds(const Batch& batch) {
  bool has_second = false;
  run_.pass(batch.group, batch.rounds, [&](std::size_t i) {
    return [&has_second, skips_empty = batch.skips_empty(), message = batch.message(i),
            data = data_of(batch, i)](int source) {
      const double bytes = message.is_split() ? 0 : data(source);
      const bool fits = message.holds(bytes);
      if (!fits) has_second = true;
      const double sent = message.header_bytes + (fits ? bytes : 0);
      return skips_empty && sent == 0 ? -1 : sent;
    };
  });
  if (!has_second) return;
  run_.pass(batch.group, batch.rounds, [&](std::size_t i) {
    return [message = batch.message(i), data = data_of(batch, i)](int source) {
      const double bytes = data(source);
      return message.holds(bytes) ? -1 : bytes;
    };
  });
}

void Play::send(model::Sent sent, const model::Straight& straight) {
  const bool is_all = sent == model::Sent::whole;
  is_all ? send_above(Sums(lengths_, -1, exchange_.seed), straight) : send_above(sums_, straight);
}

/// Blocks above the limit of `sums` go straight. A rank's own is copied.
void Play::send_above(const Sums& sums, const model::Straight& straight) {
  if (sums.moments().above_share == 0) return;
  const int ranks = layout_.ranks;
  auto& clock = run_.now();
  const auto own = sums.above(ranks);
  for (int rank = 0; rank < static_cast<int>(clock.size()); ++rank)
    clock[static_cast<std::size_t>(rank)] += run_.copy_seconds(own(rank) > 0 ? 1 : 0, own(rank));
  const auto linear = schedule::linear(ranks, ranks);
  const auto bytes_of_round = [&](std::size_t i) {
    const int hop = linear.rounds()[i].hop;
    return [=, this, inside = straight.reaches_inside, bytes_of = sums.above(hop)](int source) {
      const bool is_left_out = !inside && node_of((source + hop) % ranks) == node_of(source);
      const double bytes = is_left_out ? 0 : bytes_of(source);
      return bytes > 0 ? bytes : -1;
    };
  };
  run_.pass(linear.group(), linear.rounds(), bytes_of_round, straight.in_flight);
}

}  // namespace rondo::simulate
