// Log-time rounds of uniform blocks. MPI datatypes describe the blocks of a round, so that the MPI
// library packs them.
//
// basic_bruck_dt
//   Idea:     basic_bruck (packed_bruck.cpp) with datatypes.
//   Source:   HPDC 2022, section 2.2 (BasicBruck-dt).
//   Scratch:  P S for the rotated blocks, P S for what arrives; two datatypes a round.
//   Cost:     K alpha + D S beta + (2 P + D) S of copies + the library's packing.
// modified_bruck_dt
//   Idea:     modified_bruck with datatypes.
//   Source:   HPDC 2022, section 2.2 (ModifiedBruck-dt), after Traff et al. 2014.
//   Scratch:  P S for what arrives; two datatypes a round.
//   Cost:     K alpha + D S beta + (P + D) S of copies + the library's packing.
// zero_copy_bruck_dt
//   Idea:     modified_bruck_dt without its copy after a round. A block alternates between the
//             receive buffer R and a buffer T of the same form, and one datatype gathers from both.
//   Source:   HPDC 2022, section 2.1, after Traff et al. 2014. A hop with an odd number of hops
//             left (including itself) goes from T to R, any other from R to T, so that the last hop
//             ends in R. As printed (odd from R to T), it would end in T. Blocks with an odd number
//             of hops therefore start in T.
//   Scratch:  P S for T; two datatypes a round.
//   Cost:     K alpha + D S beta + P S of copies + the library's packing.
//
// Rounds:   K = ceil(log2 P).
// Sent:     D S bytes.
// Limits:   none.

#include <bit>

#include "engines/bruck/rotation.hpp"
#include "engines/engines.hpp"
#include "mpi/error.hpp"
#include "mpi/handles.hpp"
#include "mpi/messages.hpp"

namespace rondo::engines {

namespace {

/// Returns the type of a round's blocks at absolute addresses (for MPI_BOTTOM). at(round, name) is
/// the address of the block `name`.
template <class At>
mpi::Datatype type_of_round(Call& call, const schedule::Round& round, std::size_t block_bytes,
                            At&& at) {
  const auto displacements = call.context.scratch.array<MPI_Aint>(
      Scratch::kTable, static_cast<std::size_t>(round.blocks.size()));
  std::size_t count = 0;
  round.blocks.for_each([&](int name) {
    mpi::check(PMPI_Get_address(at(round, name), &displacements[count++]), "MPI_Get_address");
  });
  return mpi::Datatype(block_bytes, displacements);
}

/// Runs all rounds. The block `name` leaves from from(round, name) and arrives at to(round, name);
/// the two differ. after(round) is called when a round is done.
template <class From, class To, class After>
void run_rounds(Call& call, const Travel& travel, std::size_t block_bytes, From&& from, To&& to,
                After&& after) {
  if (block_bytes == 0) return;
  auto& messages = static_cast<mpi::Messages&>(call.context.messages);
  const int tag = call.context.tag(0);
  for (const schedule::Round& round : travel.schedule().rounds()) {
    const mpi::Datatype arriving = type_of_round(call, round, block_bytes, to);
    const mpi::Datatype leaving = type_of_round(call, round, block_bytes, from);
    messages.receive(MPI_BOTTOM, arriving.get(), travel.source(round.hop), tag);
    messages.send(MPI_BOTTOM, leaving.get(), travel.destination(round.hop), tag);
    messages.wait();
    after(round);
  }
}

/// Runs all rounds with every block in one place, place(name). Arriving blocks go to scratch memory
/// first, since a block cannot arrive where another one still leaves.
template <class Place>
void run_in_one_place(Call& call, const Travel& travel, std::size_t block_bytes, Place&& place) {
  std::byte* const incoming = call.context.scratch.bytes(
      Scratch::kIncoming,
      checked_multiply(static_cast<std::size_t>(call.context.ranks), block_bytes));
  const auto arrived = [&](const schedule::Round&, int name) {
    return incoming + static_cast<std::size_t>(name) * block_bytes;
  };
  const auto copy = [&](const schedule::Round& round) {
    round.blocks.for_each(
        [&](int name) { copy_bytes(place(name), arrived(round, name), block_bytes); });
  };
  const auto from = [&](const schedule::Round&, int name) { return place(name); };
  run_rounds(call, travel, block_bytes, from, arrived, copy);
}

void run_alternating(Call& call, const Blocks& blocks) {
  const Travel travel(call);
  const std::size_t bytes = blocks.block_bytes();
  std::byte* const other = work_for(call, bytes);
  // With an even number of hops left a block is in R, with an odd number in T.
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
  run_rounds(
      call, travel, bytes,
      [&](const schedule::Round& round, int name) { return place(name, hops_left(round, name)); },
      [&](const schedule::Round& round, int name) {
        return place(name, hops_left(round, name) - 1);
      },
      [](const schedule::Round&) {});
}

}  // namespace

void typed_bruck(Call& call, const Blocks& blocks) {
  if (call.choice.algorithm->handling.hop_copies == 0) return run_alternating(call, blocks);
  run_rotated(call, blocks, [&](const Travel& travel, std::size_t bytes, auto&& place) {
    run_in_one_place(call, travel, bytes, place);
  });
}

}  // namespace rondo::engines
