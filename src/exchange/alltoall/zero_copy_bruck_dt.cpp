// zero_copy_bruck_dt
//
// Idea:     modified_bruck_dt without its copy after a round: a block alternates between the
//           receive buffer R and a buffer T of the same form, and one datatype gathers from both.
// Source:   HPDC 2022, section 2.1, after Traff et al. 2014. A hop with an odd number of hops left
//           (this one included) goes from T to R, any other from R to T, so that the last one
//           ends in R; as printed (odd from R to T) it would end in T. Blocks with an odd
//           number of hops therefore start in T.
// Rounds:   K = ceil(log2 P).
// Sent:     D S bytes.
// Scratch:  P S for T; two datatypes a round.
// Cost:     K alpha + D S beta + P S of copies + the library's packing.
// Limits:   none.

#include <bit>

#include "exchange/alltoall/datatype_rounds.hpp"
#include "exchange/alltoall/rotation.hpp"
#include "exchange/functions.hpp"

namespace rondo::exchange::alltoall {

void zero_copy_bruck_dt(Call& call, const Uniform& blocks) {
  const Travel travel(call, Travel::Way::downward);
  const std::size_t bytes = blocks.block_bytes;
  std::byte* const other = call.context.scratch.bytes(
      Scratch::kWork, checked_multiply(static_cast<std::size_t>(call.context.ranks), bytes));
  // `hops` more to go: in R if even, in T if odd.
  const auto place = [&](int name, int hops) {
    return hops % 2 == 0 ? slot(travel, blocks, name)
                         : other + static_cast<std::size_t>(name) * bytes;
  };
  const auto hops_left = [](const schedule::Round& round, int name) {
    return std::popcount(static_cast<unsigned>(name / round.hop));
  };

  for (int name = 0; name < call.context.ranks; ++name)
    copy_bytes(place(name, std::popcount(static_cast<unsigned>(name))),
               blocks.send_block(travel.destination(name)).data, bytes);
  run_datatype_rounds(
      call, travel, bytes,
      [&](const schedule::Round& round, int name) { return place(name, hops_left(round, name)); },
      [&](const schedule::Round& round, int name) {
        return place(name, hops_left(round, name) - 1);
      },
      [](const schedule::Round&) {});
}

}  // namespace rondo::exchange::alltoall
