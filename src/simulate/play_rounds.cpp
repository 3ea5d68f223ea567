// Rounds between ranks.
#include "simulate/play.hpp"

namespace rondo::simulate {

namespace {

using model::Batch;

class PlayRounds final : public PlayBlocks {
 public:
  PlayRounds(Run& run, const Exchange& exchange) : PlayBlocks(run, exchange) {
    const bool pads = exchange.choice.algorithm->handling.pads;
    run.use_memory_for(pads ? sums().moments().largest : sums().moments().mean);
  }

  void exchange(const Batch& batch) {
    copy_round_by_round(batch, batch.packing(), false);
    send_batch(batch);
    copy_round_by_round(batch, batch.unpacking(), true);
  }

 private:
  /// The data of a round of a batch, by the rank that sends them.
  auto data_of(const Batch& batch, std::size_t i) const {
    const double blocks = batch.blocks(i);
    const double padded = batch.handling.pads ? blocks * sums().moments().largest : -1;
    return [&sums = sums(), padded, blocks, key = sums().key(batch.first + i)](int source) {
      return padded >= 0 ? padded : sums.draw(blocks, key, static_cast<std::uint64_t>(source));
    };
  }

  void copy_round_by_round(const Batch& batch, const model::Copies& copies, bool arrived) {
    if (copies.times + copies.sizes == 0) return;
    auto& clock = run().now();
    for (std::size_t i = 0; i < batch.rounds.size(); ++i) {
      const double blocks = batch.blocks(i);
      const auto data = data_of(batch, i);
      for (int rank = 0; rank < static_cast<int>(clock.size()); ++rank) {
        const int source = arrived ? batch.group.subtract(rank, batch.rounds[i].hop) : rank;
        clock[static_cast<std::size_t>(rank)] +=
            copies.times * run().copy_seconds(blocks, data(source)) +
            run().typed_seconds(copies.typed * blocks) + run().size_seconds(copies.sizes * blocks);
      }
    }
  }

  void send_batch(const Batch& batch) {
    bool has_second = false;
    run().pass(batch.group, batch.rounds, [&](std::size_t i) {
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
    run().pass(batch.group, batch.rounds, [&](std::size_t i) {
      return [message = batch.message(i), data = data_of(batch, i)](int source) {
        const double bytes = data(source);
        return message.holds(bytes) ? -1 : bytes;
      };
    });
  }
};

}  // namespace

void play_rounds(Run& run, const Exchange& exchange) {
  PlayRounds fold(run, exchange);
  trace_flat(fold.task(), fold);
}

}  // namespace rondo::simulate
