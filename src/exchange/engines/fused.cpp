// fused_bruck:radix=r:ports=k:threshold=T
//
// Idea:     two_phase_bruck with half its latency. Every round is one message of sizes and blocks,
//           received where a receive was posted before the exchange began (which measured better
//           than probing: no unexpected messages, no probe); short blocks under way stay in the
//           message they came in; the rounds of a phase are in flight together; nobody needs to
//           know the largest block. Only a round longer than a posted receive sends its blocks as
//           a second message.
// Source:   Rondo; digits and rounds as in the TRA paper, section III.
// Rounds:   K in ceil(log_r P) phases, one message each, two if long. No allreduce.
// Sent:     the bytes of D blocks, 4 D bytes of sizes (8 D past 4 GiB), 24 K bytes of headers. In a
//           plan's later executions no sizes.
// Scratch:  with n_k blocks in round k: sum over rounds of max(4000, 24 + 8 n_k) for first
//           messages; what leaves in one batch of `ports` rounds (31 + 8 n_k + blocks, at most);
//           two buffers, each at most what came in second messages and is under way, with what
//           arrives in a batch; 16 P of table. Each buffer may be half as large again, from
//           growing.
// Cost:     K alpha + (blocks + 4 D + 24 K) beta + one copy a hop and one of each block at the end;
//           a block that came in a second message is copied once more for every later batch with
//           second messages that it sits out.
// Errors:   a rank whose arguments are wrong or cannot be packed sends its blocks as zeros and says
//           so in its headers; the headers bring the status of every rank to every rank, so all
//           return the error. A rank without memory for the scratch above cannot go on. A block of
//           another length than is expected is an error at its receiver; the exchange goes on.
// Limits:   none. Of blocks longer than T the rounds carry the lengths, and at the end they go
//           straight to their ranks.

#include <algorithm>

#include "exchange/engines/engines.hpp"
#include "exchange/engines/fused_rounds.hpp"
#include "exchange/long_blocks.hpp"
#include "exchange/outcome.hpp"

namespace rondo::exchange::engines {

namespace {

/// Every receiver has been told how long the blocks are that come, whatever it expects, so each of
/// them is received.
void exchange_long_blocks(Context& context, const Blocks& blocks, std::size_t limit,
                          Mismatch& mismatch) {
  receive_long_blocks(context, blocks, limit, mismatch);
  send_long_blocks(context, blocks, limit);
  context.messages.wait();
}

}  // namespace

void fused(Call& call, const Blocks& blocks) {
  Context& context = call.context;
  const std::size_t limit = call.choice.threshold();
  Mismatch mismatch;
  Status status = own_status(context, blocks.failure);
  blocks.send.for_each([&](const ConstBlock& block) {
    status.largest = std::max<std::uint64_t>(status.largest, block.bytes);
  });
  status =
      exchange_fused(call, blocks, Travel(call), status, {.limit = limit, .mismatch = &mismatch});
  const bool has_failed = conclude(call, blocks.failure, status);
  if (!has_failed && status.largest > limit) exchange_long_blocks(context, blocks, limit, mismatch);
  call.mismatch = mismatch.error(context.rank);
}

}  // namespace rondo::exchange::engines
