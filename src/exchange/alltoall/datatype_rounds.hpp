// The rounds of a radix-2 Bruck exchange with MPI datatypes doing the packing.
#pragma once

#include "exchange/datatype.hpp"
#include "exchange/mpi_error.hpp"
#include "exchange/travel.hpp"

namespace rondo::exchange::alltoall {

/// The type of a round's blocks, read or written at absolute addresses (with MPI_BOTTOM): at(name)
/// is the address of the block `name`.
template <class At>
Datatype type_of_round(Call& call, const schedule::Round& round, std::size_t block_bytes, At&& at) {
  const auto displacements = call.context.scratch.array<MPI_Aint>(
      Scratch::kTable, static_cast<std::size_t>(round.blocks.size()));
  std::size_t count = 0;
  round.blocks.for_each([&](int name) {
    check(PMPI_Get_address(at(round, name), &displacements[count++]), "MPI_Get_address");
  });
  return Datatype(block_bytes, displacements);
}

/// Run all rounds: the block `name` leaves from from(round, name) and arrives at to(round, name);
/// the two differ. after(round) is called when a round is done.
template <class From, class To, class After>
void run_datatype_rounds(Call& call, const Travel& travel, std::size_t block_bytes, From&& from,
                         To&& to, After&& after) {
  if (block_bytes == 0) return;
  Messages& messages = call.context.messages;
  const int tag = call.context.tag(0);
  for (const schedule::Round& round : travel.schedule().rounds()) {
    const Datatype arriving = type_of_round(call, round, block_bytes, to);
    const Datatype leaving = type_of_round(call, round, block_bytes, from);
    messages.receive(MPI_BOTTOM, arriving.get(), travel.source(round.hop), tag);
    messages.send(MPI_BOTTOM, leaving.get(), travel.destination(round.hop), tag);
    messages.wait();
    after(round);
  }
}

/// Run all rounds with every block kept in one place, kept(name). What arrives lands in P blocks of
/// scratch (kIncoming) first, since a block cannot arrive where another one still leaves.
template <class Kept>
void run_datatype_rounds(Call& call, const Travel& travel, std::size_t block_bytes, Kept&& kept) {
  std::byte* const landing = call.context.scratch.bytes(
      Scratch::kIncoming,
      checked_multiply(static_cast<std::size_t>(call.context.ranks), block_bytes));
  const auto landed = [&](const schedule::Round&, int name) {
    return landing + static_cast<std::size_t>(name) * block_bytes;
  };
  run_datatype_rounds(
      call, travel, block_bytes, [&](const schedule::Round&, int name) { return kept(name); },
      landed,
      [&](const schedule::Round& round) {
        round.blocks.for_each(
            [&](int name) { copy_bytes(kept(name), landed(round, name), block_bytes); });
      });
}

}  // namespace rondo::exchange::alltoall
