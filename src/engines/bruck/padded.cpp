// Pads all blocks to the largest, exchanges them as uniform blocks, and scans out the real bytes.
//
// padded_alltoall
//   Idea:     with the library's MPI_Alltoall in the middle.
//   Rounds:   the library's, after an allreduce.
//   Sent:     at least (P-1) S bytes.
//   Scratch:  2 P S for the padded blocks.
//   Cost:     allreduce + MPI_Alltoall of S bytes a block + 2 P S of copies.
//   Limits:   runs spread_out where P S is beyond RONDO_PADDING_BYTES or S is past 2^31-1. A nonblocking
//             exchange runs spread_out in the middle.
// padded_bruck
//   Idea:     with zero_rotation_bruck in the middle.
//   Rounds:   K = ceil(log2 P), after an allreduce.
//   Sent:     D S bytes.
//   Scratch:  2 P S for the padded blocks, P S for the messages of a round.
//   Cost:     allreduce + K alpha + D S beta + (2 P + 2 D) S of copies; HPDC 2022, equation (1).
//   Limits:   runs spread_out where P S is beyond RONDO_PADDING_BYTES.
//
// Source:   HPDC 2022, section 3.1.

#include <algorithm>
#include <limits>

#include "base/mix.hpp"
#include "engines/bruck/largest.hpp"
#include "engines/engines.hpp"
#include "mpi/error.hpp"
#include "mpi/progress.hpp"
#include "mpi/transport.hpp"
#include "transport/agreement.hpp"

namespace rondo::engines {

namespace {

/// What all ranks know of the lengths of all blocks.
struct AllLengths {
  std::uint64_t largest;
  std::uint64_t difference;  ///< 0 if each sender and its receiver have the same length
};

/// Collective, unless the lengths are agreed already. All blocks arrive with the largest length, so a receiver alone
/// cannot see that one is too long.
AllLengths lengths_on_any_rank(Call& call, const Blocks& blocks) {
  if (call.has_agreed_lengths()) return {largest_on_any_rank(call, blocks), 0};
  const int self = call.context.rank;
  AllLengths own{blocks.send.longest(), 0};
  for (int peer = 0; peer < call.context.ranks; ++peer) {
    own.difference += mix_of_pair(self, peer, blocks.send_block(peer).bytes);
    own.difference -= mix_of_pair(peer, self, blocks.receive_block(peer).bytes);
  }
  return transport::combined(
      call.context.tagged(), own, [](const AllLengths& one, const AllLengths& other) {
        return AllLengths{std::max(one.largest, other.largest), one.difference + other.difference};
      });
}

/// Copies every block to the start of a slot of `bytes` bytes, the length of the largest block.
void pad(const Blocks& blocks, std::size_t bytes, std::byte* padded) {
  blocks.send.for_each([&](const ConstBlock& block) {
    copy_bytes(padded, block.data, block.bytes);
    padded += bytes;
  });
}

/// Copies the expected number of bytes from the start of every slot to the receive buffer.
void unpad(const std::byte* padded, std::size_t bytes, const Blocks& blocks) {
  blocks.receive.for_each([&](const Block& block) {
    copy_bytes(block.data, padded, std::min(block.bytes, bytes));
    padded += bytes;
  });
}

/// A nonblocking exchange cannot use the library's collectives. It runs spread_out on the padded blocks.
void library_alltoall(Call& call, const Blocks& blocks) {
  if (Fiber::is_running()) return run_spread_out(call, blocks);
  mpi::before_library_call();
  const int bytes = static_cast<int>(blocks.block_bytes());
  mpi::check(PMPI_Alltoall(blocks.send_block(0).data, bytes, MPI_BYTE, blocks.receive_block(0).data,
                           bytes, MPI_BYTE, mpi::comm_of(call.context.transport())),
             "MPI_Alltoall");
}

}  // namespace

void padded(Call& call, const Blocks& blocks) {
  const bool is_bruck = call.choice.algorithm->shape == registry::Shape::bruck;
  const std::size_t longest =
      is_bruck ? std::numeric_limits<std::size_t>::max() : std::numeric_limits<int>::max();
  const auto [largest, difference] = lengths_on_any_rank(call, blocks);
  if (difference != 0) {
    call.failure = Error(ErrorClass::truncate,
                         "a rank sends a block of another length than its receiver expects; with "
                         "RONDO_CHECK=1 the error names both");
    return;
  }
  if (largest > longest || exceeds_padding(call.context, largest))
    return run_spread_out(call, blocks);
  const auto ranks = static_cast<std::size_t>(call.context.ranks);
  const std::size_t total = checked_multiply(ranks, largest);
  std::byte* const leaving = call.context.scratch.bytes(Scratch::kPaddedSend, total);
  std::byte* const arrived = call.context.scratch.bytes(Scratch::kPaddedReceive, total);
  pad(blocks, largest, leaving);
  const Blocks uniform{.send = {leaving, largest, ranks}, .receive = {arrived, largest, ranks}};
  is_bruck ? zero_rotation_bruck(call, uniform) : library_alltoall(call, uniform);
  unpad(arrived, largest, blocks);
}

}  // namespace rondo::engines
