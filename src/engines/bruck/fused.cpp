// fused_bruck:radix=r:ports=k:threshold=T
//
// Idea:     two_phase_bruck with half its latency. Every round is one message of sizes and blocks.
//           Its receive is posted before the exchange begins, which measured better than probing:
//           no unexpected messages, no probe. Short blocks in transit stay in the message they came
//           in. The rounds of a phase are in flight together. No rank needs to know the largest
//           block. Only a round longer than its posted receive sends its blocks as a second
//           message.
// Source:   Rondo; digits and rounds as in the TRA paper, section III.
// Rounds:   K in ceil(log_r P) phases, one message each, two if long. No allreduce.
// Sent:     the bytes of D blocks, 4 D bytes of sizes (8 D past 4 GiB), 24 K bytes of headers.
//           Later executions of a plan send no sizes.
// Scratch:  with n_k blocks in round k: the sum over rounds of max(4000, 24 + 8 n_k) for first
//           messages; the messages of one batch of `ports` rounds, at most 31 + 8 n_k + blocks
//           each; two buffers, each at most the blocks in transit that came in second messages,
//           plus what arrives in a batch; 16 P of table. Each buffer may be half as large again,
//           because it grows in steps.
// Cost:     K alpha + (blocks + 4 D + 24 K) beta + one copy a hop and one of each block at the end.
//           A block that came in a second message is copied once more for every later batch with
//           second messages in which it does not leave. In a dynamic exchange this holds for blocks
//           that have arrived, too.
// Errors:   a rank whose arguments are wrong or cannot be packed sends zeros for its blocks and
//           reports the failure in its headers. The headers bring the status of every rank to every
//           rank, so all return the error. A rank without memory for the scratch above cannot go
//           on. A block of another length than expected is an error at its receiver; the exchange
//           goes on.
// Limits:   none. The rounds send only the lengths of blocks longer than T; at the end these blocks
//           go straight to their ranks.

#include "engines/bruck/fused_rounds.hpp"
#include "engines/engines.hpp"
#include "engines/long_blocks.hpp"
#include "engines/outcome.hpp"

namespace rondo::engines {

void fused(Call& call, const Blocks& given) {
  Context& context = call.context;
  Blocks blocks = given;
  const std::size_t limit = call.choice.threshold();
  Mismatch mismatch;
  Status status = own_status(context, blocks.failure);
  status.largest = blocks.send.longest();
  Transit transit(call, blocks, Travel(call),
                  {.limit = limit, .mismatch = &mismatch, .are_unknown = call.incoming != nullptr});
  status = exchange_fused(call, transit, status);
  if (!conclude(call, blocks.failure, status)) {
    if (call.incoming != nullptr) transit.deliver_all(*call.incoming, blocks);
    // From the rounds every receiver knows the actual lengths, so it receives every long block,
    // whatever it expects.
    if (status.largest > limit) exchange_long_blocks(context, blocks, limit, mismatch);
  }
  call.mismatch = mismatch.error(context.rank);
}

}  // namespace rondo::engines
