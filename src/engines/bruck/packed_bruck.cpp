// Log-time rounds of uniform blocks, packed with memcpy. The algorithms differ in their schedules
// and in where they keep the blocks between rounds.
//
// basic_bruck
//   Idea:     rotate the blocks so that block i is the one for the rank i above; in round k send
//             the blocks whose bit k is set 2^k ranks up; rotate back.
//   Source:   HPDC 2022, section 2.1, steps (1)-(3); step (3) done out of place, as
//             R'[i] = R[(p - i) mod P].
// tunable_bruck:radix=r:ports=k (TRA)
//   Idea:     basic_bruck with digits in radix r instead of bits. A block makes fewer hops. There
//             are more rounds, but the rounds of one digit are in flight together.
//   Source:   TRA paper, section III; its step 3 done out of place. The default radix is the
//             paper's, about the square root of P (section III-B).
// two_layer_bruck:intra=r1:inter=r2:ports=k (TRA2)
//   Idea:     ranks in node-major order form a torus of N nodes x Q ranks. First a Bruck exchange
//             inside every node brings each block to the rank that has the destination's place in
//             the node. Then a Bruck exchange between nodes brings it to the destination.
//   Source:   TRA paper, section IV; hops go up in both layers, and the inter-node destination is
//             ((n + z r2^x) mod N) Q + q. Defaults from section V-B: intra about sqrt(Q), inter = N.
//   Limits:   nodes of unequal size count as equal parts of Q = gcd(sizes) ranks; Q = 1 is
//             tunable_bruck with radix r2.
// modified_bruck
//   Idea:     send down instead of up, and rotate the other way first. Then every block stays in
//             the slot where it must end, and no final rotation is needed.
//   Source:   HPDC 2022, section 2.1, after Traff et al. 2014.
// zero_rotation_bruck
//   Idea:     modified_bruck without its rotation. The first hop reads a block from the send
//             buffer, through the index (p - i) mod P; every later hop reads it from the slot where
//             it will end.
//   Source:   HPDC 2022, section 2.1. As printed, the first hop and the place of arrival do not
//             match; here a block named i leaves from S[p - i] and is kept in R[p + i].
//
// Rounds:   ceil(log2 P), or in radix r: K = w (r-1) - floor((r^w - P) / r^(w-1)) in w phases,
//           w = ceil(log_r P); two_layer_bruck K(Q, r1) + K(N, r2).
// Sent:     D S bytes, D as in Proposition 4; two_layer_bruck N D(Q, r1) + Q D(N, r2) blocks.
// Scratch:  twice the messages of a batch of `ports` rounds; with two rotations also P S.
// Cost:     K alpha + D S beta + (P for each rotation + 2 D) S of copies.
// Limits:   none.

#include "engines/bruck/rotation.hpp"
#include "engines/engines.hpp"

namespace rondo::engines {

namespace {

using Rounds = std::span<const schedule::Round>;

/// The rounds of one exchange. The block `name` is read at from(round, name) for its hop in a
/// round, and stored at to(name) after it.
template <class From, class To>
class PackedRounds {
 public:
  PackedRounds(Call& call, const Travel& travel, std::size_t block_bytes, From from, To to)
      : call_(call), travel_(travel), block_bytes_(block_bytes), from_(from), to_(to) {}

  void run() {
    travel_.schedule().for_each_batch(call_.choice.value(registry::Key::ports, 1),
                                      [&](Rounds rounds) { run_batch(rounds); });
  }

 private:
  std::size_t bytes_of(const schedule::Round& round) const {
    return static_cast<std::size_t>(round.blocks.size()) * block_bytes_;
  }

  void run_batch(Rounds rounds) {
    Context& context = call_.context;
    std::size_t bytes = 0;
    for (const schedule::Round& round : rounds) bytes += bytes_of(round);
    std::byte* const incoming = context.scratch.bytes(Scratch::kIncoming, bytes);
    std::byte* const outgoing = context.scratch.bytes(Scratch::kOutgoing, bytes);
    const int tag = context.tag(0);
    travel_.receive(context.messages, rounds, incoming, tag,
                    [&](const schedule::Round& round) { return bytes_of(round); });
    travel_.send(context.messages, rounds, outgoing, tag,
                 [&](const schedule::Round& round, std::byte* out) { return pack(round, out); });
    context.messages.wait();
    unpack(rounds, incoming);
  }

  std::byte* pack(const schedule::Round& round, std::byte* out) const {
    round.blocks.for_each([&](int name) {
      copy_bytes(out, from_(round, name), block_bytes_);
      out += block_bytes_;
    });
    return out;
  }

  void unpack(Rounds rounds, const std::byte* incoming) {
    for (const schedule::Round& round : rounds)
      round.blocks.for_each([&](int name) {
        copy_bytes(to_(name), incoming, block_bytes_);
        incoming += block_bytes_;
      });
  }

  Call& call_;
  const Travel& travel_;
  std::size_t block_bytes_;
  From from_;
  To to_;
};

}  // namespace

void zero_rotation_bruck(Call& call, const Blocks& blocks) {
  const Travel travel(call);
  const auto place = [&](int name) { return slot(travel, blocks, name); };
  const auto from = [&](const schedule::Round& round, int name) -> const std::byte* {
    return round.is_first_hop(name) ? blocks.send_block(travel.destination(name)).data
                                    : place(name);
  };
  copy_own_block(blocks, call.context.rank);
  PackedRounds(call, travel, blocks.block_bytes(), from, place).run();
}

void packed_bruck(Call& call, const Blocks& blocks) {
  if (rotations_of(call) == Rotations::none) return zero_rotation_bruck(call, blocks);
  run_rotated(call, blocks, [&](const Travel& travel, std::size_t bytes, auto&& place) {
    const auto from = [&](const schedule::Round&, int name) { return place(name); };
    PackedRounds(call, travel, bytes, from, place).run();
  });
}

}  // namespace rondo::engines
