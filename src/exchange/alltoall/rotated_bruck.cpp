#include "exchange/alltoall/rotated_bruck.hpp"

#include "exchange/alltoall/bruck_rounds.hpp"
#include "exchange/alltoall/rotation.hpp"

namespace rondo::exchange::alltoall {

void rotated_bruck(Call& call, const Uniform& blocks) {
  const Travel travel(call, Travel::Way::upward);
  const std::size_t bytes = blocks.block_bytes;
  std::byte* const work = call.context.scratch.bytes(
      Scratch::kWork, checked_multiply(static_cast<std::size_t>(call.context.ranks), bytes));
  const auto kept = [&](int name) { return work + static_cast<std::size_t>(name) * bytes; };

  rotate_in(travel, blocks, work);
  run_bruck_rounds(
      call, travel, bytes, [&](const schedule::Round&, int name) { return kept(name); }, kept);
  rotate_out(travel, work, blocks);
}

}  // namespace rondo::exchange::alltoall
