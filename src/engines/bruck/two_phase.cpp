// two_phase_bruck:radix=r:ports=k
//
// Idea:     zero_rotation_bruck in which every round sends first the sizes of the blocks and then
//           the blocks. Blocks in transit lie in a working buffer of P slots of S bytes, where S is
//           the largest block of all ranks. Blocks that arrive go straight to the receive buffer.
// Source:   HPDC 2022, Algorithm 1 (radix 2), with lines 18, 21, 27 and 31 indexed like the sizes:
//           by the block p - i that leaves, or by the rank p + i that is the block's source. Digits
//           in any radix as in the TRA paper.
// Rounds:   K, each with two messages, after an allreduce.
// Sent:     the bytes of D blocks, and 4 D bytes of sizes.
// Scratch:  P S; the messages of a batch of `ports` rounds, twice; at most 24 P bytes of table.
// Cost:     allreduce + 2 K alpha + (blocks + 4 D) beta + two copies a hop; equation (2).
// Limits:   runs spread_out where P S is beyond RONDO_PADDING_BYTES or S past 2^32-1.

#include <cstdint>
#include <limits>
#include <numeric>

#include "engines/bruck/largest.hpp"
#include "engines/bruck/transit.hpp"
#include "engines/engines.hpp"

namespace rondo::engines {

namespace {

using Rounds = std::span<const schedule::Round>;
using SizeSent = std::uint32_t;

std::size_t count_blocks(Rounds rounds) {
  std::size_t count = 0;
  for (const schedule::Round& round : rounds)
    count += static_cast<std::size_t>(round.blocks.size());
  return count;
}

class TwoPhase {
 public:
  TwoPhase(Call& call, const Blocks& blocks, std::size_t slot_bytes)
      : call_(call),
        context_(call.context),
        transit_(call, blocks, Travel(call), {.mismatch = &mismatch_}),
        arriving_(call),
        slot_bytes_(slot_bytes),
        working_(context_.scratch.bytes(
            Scratch::kWork,
            checked_multiply(static_cast<std::size_t>(context_.ranks), slot_bytes))) {}

  void run() {
    transit_.schedule().for_each_batch(
        call_.choice.value(registry::Key::ports, 1), [&](Rounds rounds) {
          const std::span<SizeSent> arriving = exchange_sizes(rounds);
          exchange_data(rounds, arriving);
          unpack(rounds, arriving);
        });
    call_.mismatch = mismatch_.error(context_.rank);
  }

 private:
  /// The first phase of a batch. Returns the lengths of all blocks that arrive in it.
  std::span<SizeSent> exchange_sizes(Rounds rounds) {
    const int tag = context_.tag(0);
    const std::size_t count = count_blocks(rounds);
    const auto sizes = context_.scratch.array<SizeSent>(Scratch::kSizes, 2 * count);
    const auto arriving = sizes.first(count);
    if (!call_.sizes_known()) {
      auto* const in = reinterpret_cast<std::byte*>(sizes.data());
      transit_.travel().receive(context_.messages, rounds, in, tag, [](const auto& round) {
        return static_cast<std::size_t>(round.blocks.size()) * sizeof(SizeSent);
      });
      transit_.travel().send(context_.messages, rounds, in + arriving.size_bytes(), tag,
                             [&](const auto& round, std::byte* out) {
                               return reinterpret_cast<std::byte*>(
                                   transit_.pack_sizes(round, reinterpret_cast<SizeSent*>(out)));
                             });
      context_.messages.wait();
    }
    std::size_t at = 0;
    for (const schedule::Round& round : rounds)
      arriving_.next_round(
          round, !call_.sizes_known(), [&](std::size_t) { return std::size_t{arriving[at]}; },
          [&](int, std::size_t bytes) { arriving[at++] = static_cast<SizeSent>(bytes); });
    return arriving;
  }

  /// The second phase of a batch: the blocks, one message a round.
  void exchange_data(Rounds rounds, std::span<const SizeSent> arriving) {
    const int tag = context_.tag(1);
    std::size_t in_bytes = 0;
    for (const SizeSent bytes : arriving) in_bytes += bytes;
    std::byte* const in = context_.scratch.bytes(Scratch::kIncoming, in_bytes);
    transit_.travel().receive(context_.messages, rounds, in, tag, [&](const auto& round) {
      const auto count = static_cast<std::size_t>(round.blocks.size());
      const auto of_round = arriving.first(count);
      arriving = arriving.subspan(count);
      return std::accumulate(of_round.begin(), of_round.end(), std::size_t{0});
    });
    std::size_t out_bytes = 0;
    for (const schedule::Round& round : rounds) out_bytes += transit_.leaving_bytes(round);
    transit_.travel().send(
        context_.messages, rounds, context_.scratch.bytes(Scratch::kOutgoing, out_bytes), tag,
        [&](const auto& round, std::byte* out) { return transit_.pack(round, out); });
    context_.messages.wait();
  }

  void unpack(Rounds rounds, std::span<const SizeSent> arriving) {
    const std::byte* in = context_.scratch.bytes(Scratch::kIncoming, 0);
    std::size_t at = 0;
    for (const schedule::Round& round : rounds)
      round.blocks.for_each([&](int name) {
        const ConstBlock block{in, arriving[at++]};
        in += block.bytes;
        if (round.is_last_hop(name)) return transit_.deliver(name, block);
        std::byte* const slot = working_ + static_cast<std::size_t>(name) * slot_bytes_;
        copy_bytes(slot, block.data, block.bytes);
        transit_.hold(name, {slot, block.bytes});
      });
  }

  Call& call_;
  Context& context_;
  Mismatch mismatch_;
  Transit transit_;
  ArrivingLengths arriving_;
  std::size_t slot_bytes_;
  std::byte* working_;
};

}  // namespace

void two_phase(Call& call, const Blocks& blocks) {
  const std::size_t largest = largest_on_any_rank(call, blocks);
  if (exceeds_padding(call.context, largest) || largest > std::numeric_limits<SizeSent>::max())
    return run_spread_out(call, blocks);
  TwoPhase(call, blocks, largest).run();
}

}  // namespace rondo::engines
